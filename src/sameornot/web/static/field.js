/** How far apart two values of a column are. */

// A longer cell is shown as text, not as a value.
const LONG = 48;
// Differences (1: the range of nearly all values) below which two values count as equal, and from which on
// they are highlighted.
const CLOSE = 0.03;
const FAR = 0.4;

/** Whether a field has a long text. */
export function isText({ left, right }) {
  return Math.max(left.length, right.length) > LONG;
}

/** "alike", "near" (different by little, or not measurable) or "far". */
export function distance({ differs, gap }) {
  if (!differs || (gap !== null && gap < CLOSE)) return "alike";
  return gap !== null && gap >= FAR ? "far" : "near";
}
