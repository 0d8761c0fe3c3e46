/** A small line chart of the churn: the share of rows that changed group. Drawn with uPlot. */

import uPlot from "./vendor/uplot/uPlot.esm.js";

// The axis reaches at least this share, so that small changes look small.
const MIN_TOP = 0.1;

export class ChurnLine {
  #root;
  #plot = null;
  #churn = [];

  constructor(root) {
    this.#root = root;
  }

  /** Draw pairs of (number of answers, share). */
  show(churn) {
    this.#churn = churn;
    if (churn.length < 2) {
      this.#remove();
      return;
    }
    this.#plot ??= new uPlot(this.#options(), [[], []], this.#root);
    this.#plot.setData([churn.map((point) => point[0]), churn.map((point) => point[1])]);
  }

  /** Apply a new theme: uPlot reads its colours only once. */
  repaint() {
    this.#remove();
    this.show(this.#churn);
  }

  #remove() {
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
      scales: { x: { time: false }, y: { range: (plot, low, high) => [0, Math.max(MIN_TOP, high)] } },
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
