/** A scatter plot on a canvas: a shape and a colour per group, and a ring with a sign around some rows. */

import { colour, outline } from "./palette.js";

const MARGIN = 18;
const RADIUS = 3;
const PLACED_RADIUS = 4.4;
const RING = 10;
// Pixels within which the pointer selects a point.
const POINTER_RADIUS = 12;

export class Scatter {
  #canvas;
  #picture = null;
  #asked = [];
  #positions = [];

  constructor(canvas) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(picture) {
    this.#picture = picture;
    this.draw();
  }

  /** Mark rows: pairs of a row and its sign. The first is the record that is asked about. */
  ask(marked) {
    this.#asked = marked;
    this.draw();
  }

  /** The row under the pointer, or null. */
  rowAt(event) {
    const box = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, nearest] = [null, POINTER_RADIUS];
    this.#positions.forEach(([px, py], i) => {
      const distance = Math.hypot(px - x, py - y);
      if (distance < nearest) [best, nearest] = [this.#picture.row[i], distance];
    });
    return best;
  }

  draw() {
    if (this.#picture === null) return;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === 0) return; // hidden: it is drawn once it has a size
    const scale = devicePixelRatio;
    this.#canvas.width = width * scale;
    this.#canvas.height = height * scale;
    const pen = this.#canvas.getContext("2d");
    pen.scale(scale, scale);
    this.#positions = toPixels(this.#picture, width, height);
    drawPoints(pen, this.#picture, this.#positions);
    this.#drawAsked(pen);
  }

  #drawAsked(pen) {
    const found = this.#asked
      .map(([row, sign]) => ({ at: this.#positions[this.#picture.row.indexOf(row)], sign }))
      .filter(({ at }) => at);
    // The signs are on the outer sides, so that those of near points do not overlap.
    found.sort((a, b) => a.at[0] - b.at[0]);
    found.forEach(({ at, sign }, rank) => drawRing(pen, at, sign, 2 * rank < found.length - 1 || found.length === 1 ? -1 : 1));
  }
}

/** Data to pixels; each axis fills its side. */
function toPixels({ x, y }, width, height) {
  const across = fit(x, MARGIN, width - MARGIN);
  const up = fit(y, height - MARGIN, MARGIN);
  return x.map((value, i) => [across(value), up(y[i])]);
}

function fit(values, from, to) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return high > low ? (value) => from + ((value - low) / (high - low)) * (to - from) : () => (from + to) / 2;
}

function drawPoints(pen, { group, placed }, positions) {
  const theme = getComputedStyle(pen.canvas);
  const hues = new Map([...new Set(group)].map((number) => [number, colour(number, theme)]));
  const paths = new Map([...hues.keys()].map((number) => [number, new Path2D(outline(number))]));
  pen.strokeStyle = theme.getPropertyValue("--ink").trim();
  for (const isPlaced of [false, true]) {
    pen.globalAlpha = isPlaced ? 1 : 0.55;
    positions.forEach(([x, y], i) => {
      if (placed[i] === isPlaced) stamp(pen, paths.get(group[i]), x, y, hues.get(group[i]), isPlaced);
    });
  }
  pen.globalAlpha = 1;
}

function stamp(pen, path, x, y, fill, isPlaced) {
  const radius = isPlaced ? PLACED_RADIUS : RADIUS;
  pen.save();
  pen.translate(x, y);
  pen.scale(radius, radius);
  pen.fillStyle = fill;
  pen.fill(path);
  if (isPlaced) {
    pen.lineWidth = 1.2 / radius;
    pen.stroke(path);
  }
  pen.restore();
}

function drawRing(pen, [x, y], letter, side) {
  const theme = getComputedStyle(pen.canvas);
  const ink = theme.getPropertyValue("--ink").trim();
  const paper = theme.getPropertyValue("--surface").trim();
  for (const [colourOfRing, width] of [
    [paper, 5],
    [ink, 2],
  ]) {
    pen.beginPath();
    pen.arc(x, y, RING, 0, 2 * Math.PI);
    pen.strokeStyle = colourOfRing;
    pen.lineWidth = width;
    pen.stroke();
  }
  const room =
    x + side * 2 * RING < MARGIN || x + side * 2 * RING > pen.canvas.clientWidth - MARGIN ? -side : side;
  pen.font = `700 13px ${theme.getPropertyValue("--sans")}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.strokeStyle = paper;
  pen.lineWidth = 4;
  pen.fillStyle = ink;
  pen.strokeText(letter, x + room * (RING + 9), y);
  pen.fillText(letter, x + room * (RING + 9), y);
}
