/**
 * A colour and a shape for each group number.
 *
 * Twelve hues and seven shapes have no common factor, so 84 groups differ in at least one of the two.
 */

const N_HUES = 12;
const NAMES = ["circle", "square", "triangle", "diamond", "down", "plus", "cross"];

/** Outlines in a square from -1 to 1, as the `d` of an SVG path: canvas and legend draw the same. */
const OUTLINES = {
  circle: "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0-1 0Z",
  square: "M-.9-.9H.9V.9H-.9Z",
  triangle: "M0-1.1L1.1.9H-1.1Z",
  diamond: "M0-1.25L1.1 0L0 1.25L-1.1 0Z",
  down: "M0 1.1L1.1-.9H-1.1Z",
  plus: "M-.4-1.15H.4V-.4H1.15V.4H.4V1.15H-.4V.4H-1.15V-.4H-.4Z",
  cross: "M-1.05-.5L-.5-1.05L0-.55L.5-1.05L1.05-.5L.55 0L1.05.5L.5 1.05L0 .55L-.5 1.05L-1.05.5L-.55 0Z",
};

export const hue = (number) => ((number - 1) % N_HUES) + 1;

export const shapeName = (number) => NAMES[(number - 1) % NAMES.length];

export const outline = (number) => OUTLINES[shapeName(number)];

/** The colour of a group in a theme: the computed style of the element that it is for. */
export const colour = (number, theme) => theme.getPropertyValue(`--g${hue(number)}`).trim();

/** The symbol of a group, for legends and cards. */
export function swatch(number) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "-1.5 -1.5 3 3");
  picture.setAttribute("class", `swatch hue-${hue(number)}`);
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", outline(number));
  picture.append(path);
  return picture;
}
