/** The little line of how much the grouping still moves, drawn with uPlot. */

import uPlot from "./vendor/uplot/uPlot.esm.js";

// The axis reaches at least this share, so that a settled grouping looks settled.
const LEAST_TOP = 0.1;

export class MovesLine {
  #root;
  #plot = null;
  #moves = [];

  constructor(root) {
    this.#root = root;
  }

  show(moves) {
    this.#moves = moves;
    if (moves.length < 2) {
      this.#drop();
      return;
    }
    this.#plot ??= new uPlot(this.#options(), [[], []], this.#root);
    this.#plot.setData([moves.map((move) => move[0]), moves.map((move) => move[1])]);
  }

  /** The theme has changed: uPlot takes its colours once. */
  repaint() {
    this.#drop();
    this.show(this.#moves);
  }

  #drop() {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #options() {
    const theme = getComputedStyle(document.documentElement);
    const ink = theme.getPropertyValue("--accent").trim();
    return {
      width: this.#root.clientWidth,
      height: this.#root.clientHeight,
      padding: [3, 3, 3, 3],
      legend: { show: false },
      cursor: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: { x: { time: false }, y: { range: (plot, low, high) => [0, Math.max(LEAST_TOP, high)] } },
      series: [
        {},
        {
          stroke: ink,
          width: 1.5,
          fill: theme.getPropertyValue("--accent-soft").trim(),
          points: { show: false },
        },
      ],
    };
  }
}
