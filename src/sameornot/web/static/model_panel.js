/** The panel next to the question: the map of the rows with its legend, and the weights of the columns. */

import { Unreachable, get } from "./api.js";
import { afterPaint, bar, byId, debounced, make, tableHead } from "./dom.js";
import { loadSetting, saveSetting } from "./storage.js";
import { shapeName, swatch } from "./palette.js";
import { Scatter } from "./scatter.js";
import { count, percent } from "./format.js";

// Milliseconds without a change before the panel is updated: drawing must not slow down fast answers.
const QUIET = 250;

export class ModelPanel {
  #scatter = new Scatter(byId("map"));
  #session;
  #fetch = debounced(() => this.#load(), QUIET);

  constructor(session, openRecord) {
    this.#session = session;
    session.addEventListener("changed", () => this.#fetch());
    // The question is painted first, the rings on the map afterwards.
    session.addEventListener("question", ({ detail }) => afterPaint(() => this.#ask(detail.question)));
    const map = byId("map");
    map.addEventListener(
      "pointermove",
      (event) => (map.dataset.over = String(this.#scatter.rowAt(event) !== null)),
    );
    map.addEventListener("click", (event) => {
      const row = this.#scatter.rowAt(event);
      if (row !== null) openRecord(row);
    });
    byId("blind").addEventListener("click", () => this.#hide(!isBlind()));
    this.#hide(isBlind());
  }

  /** Apply a new theme. */
  repaint() {
    this.#scatter.draw();
  }

  #ask(question) {
    const candidates = question?.choice?.map((candidate, n) => [candidate.row, String(n + 1)]);
    if (question === null) this.#scatter.ask([]);
    else if (candidates) this.#scatter.ask([[question.left.row, "?"], ...candidates]);
    else
      this.#scatter.ask([
        [question.left.row, "A"],
        [question.right.row, "B"],
      ]);
  }

  #hide(blind) {
    saveSetting("blind", blind ? "yes" : null);
    byId("blind").setAttribute("aria-pressed", String(blind));
    byId("blind").textContent = blind ? "Show" : "Hide";
    byId("blind-note").hidden = !blind;
    byId("pictures-body").hidden = blind;
    byId("why").hidden = blind;
    if (!blind) this.#fetch();
  }

  async #load() {
    if (isBlind()) return;
    try {
      this.#show(await get("api/picture"));
    } catch (error) {
      // The banner reports a lost connection, and the next event fetches again.
      if (!(error instanceof Unreachable)) this.#session.reportError(error);
    }
  }

  #show(picture) {
    this.#scatter.show(picture);
    const groups = [...picture.groups].sort((a, b) => a.number - b.number);
    byId("legend").replaceChildren(
      ...groups.map(({ number, label }) => make("li", {}, swatch(number), label)),
    );
    byId("map").setAttribute(
      "aria-label",
      `Map of ${count(picture.x.length, "row")} in the space that the model has learned`,
    );
    byId("sizes").replaceChildren(...inWords(picture, groups));
    showWeights(picture);
  }
}

const isBlind = () => loadSetting("blind") === "yes";

/** The map as text, for screen readers: the variance of the axes, and a table of the groups. */
function inWords({ x, group, placed, shares }, groups) {
  const rows = groups.map(({ number, label }) => {
    const members = group.map((g, i) => (g === number ? i : -1)).filter((i) => i >= 0);
    const nPlaced = members.filter((i) => placed[i]).length;
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, `${label} (${shapeName(number)})`),
      make("td", {}, String(members.length)),
      make("td", {}, String(nPlaced)),
    );
  });
  return [
    make(
      "p",
      {},
      `${count(x.length, "row")}; the axes show ${percent(shares[0])} and ${percent(shares[1])} of the variance.`,
    ),
    make("table", {}, tableHead(["Group", "Points", "Placed by an answer"]), make("tbody", {}, ...rows)),
  ];
}

function showWeights({ weights, n_others: nOthers }) {
  const heaviest = Math.max(...weights.map((line) => line.weight), Number.MIN_VALUE);
  const lines = weights.map(({ column, weight }) =>
    make(
      "li",
      {},
      make("span", { class: "what", title: column }, column),
      bar(weight / heaviest, { class: "long-bar" }),
      make("span", { class: "much" }, percent(weight)),
    ),
  );
  byId("weights").replaceChildren(...lines);
  byId("weights-more").textContent = nOthers > 0 ? `and ${count(nOthers, "lighter column")}` : "";
}
