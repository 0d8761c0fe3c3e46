/** The pictures beside the question: the map of the rows with its legend, and the weights of the columns. */

import { Unreachable, get } from "./api.js";
import { afterPaint, bar, byId, debounced, make, tableHead } from "./dom.js";
import { recall, remember } from "./memory.js";
import { shapeName, swatch } from "./palette.js";
import { Scatter } from "./scatter.js";
import { count, percent } from "./words.js";

// Milliseconds of quiet before the picture is fetched: a fast answerer is not slowed down by drawing.
const QUIET = 250;

export class PictureView {
  #scatter = new Scatter(byId("map"));
  #sitting;
  #fetch = debounced(() => this.#load(), QUIET);

  constructor(sitting, openRecord) {
    this.#sitting = sitting;
    sitting.addEventListener("moved", () => this.#fetch());
    // The question comes first: the rings follow once it is on the screen.
    sitting.addEventListener("question", ({ detail }) => afterPaint(() => this.#ask(detail.question)));
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

  /** The theme has changed. */
  repaint() {
    this.#scatter.draw();
  }

  #ask(question) {
    this.#scatter.ask(question === null ? [] : [question.left.row, question.right.row]);
  }

  #hide(blind) {
    remember("blind", blind ? "yes" : null);
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
      this.#show(await get("/api/picture"));
    } catch (problem) {
      // A lost connection is already told by the banner, and the next event fetches again.
      if (!(problem instanceof Unreachable)) this.#sitting.complain(problem);
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

const isBlind = () => recall("blind") === "yes";

/** The map for those who do not see it: what the axes hold, and a table of the groups. */
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
      `${count(x.length, "row")}; across ${percent(shares[0])} and up ${percent(shares[1])} of the spread.`,
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
