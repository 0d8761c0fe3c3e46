/** How far apart two values of a column are. */

// A longer cell, or one of so many words in a column of texts, is shown as text, not as a value.
const LONG = 48;
const WORDS = 4;
// Differences (1: the range of nearly all values) below which two values count as equal, and from which on
// they are highlighted.
const CLOSE = 0.03;
const FAR = 0.4;

/** Whether a field is to be read as text. */
export function isText({ kind, left, right }) {
  return [left, right].some((value) => value.length > LONG || (kind === "text" && nWords(value) >= WORDS));
}

function nWords(value) {
  return value.split(/\s+/u).length;
}

/** "alike", "near" (different by little, or not measurable) or "far". */
export function distance({ differs, gap }) {
  if (!differs || (gap !== null && gap < CLOSE)) return "alike";
  return gap !== null && gap >= FAR ? "far" : "near";
}
