/** The history view: all answers, newest first, to be changed, removed or undone. */

import { get } from "./api.js";
import { button, byId, debounced, make, redraw, tableHead } from "./dom.js";
import { thumbnails } from "./pictures.js";
import { currentView } from "./routes.js";
import { clock } from "./format.js";
import { KnownList } from "./known.js";

const LABELS = { same: "Same", different: "Different", unsure: "Unsure" };
// Lines drawn at first: thousands of rows with buttons make the page slow.
const FIRST = 100;

export class HistoryView {
  #root = byId("view-history");
  #list = make("div", { class: "scroll" });
  #known;
  #undoButton = button("Undo", () => this.#undoMany(), { "data-testid": "undo-many" });
  #number = make("input", {
    type: "number",
    min: "1",
    value: "1",
    id: "undo-number",
    "data-testid": "undo-number",
  });
  #filter = make("input", {
    type: "search",
    placeholder: "id, name or answer",
    "data-testid": "history-filter",
    on: { input: () => this.#draw() },
  });
  #answers = [];
  #limit = FIRST;
  #session;
  #openRecord;

  constructor(session, openRecord) {
    this.#session = session;
    this.#openRecord = openRecord;
    this.#known = new KnownList(session);
    const refresh = debounced(() => currentView() === "history" && this.load(), 150);
    session.addEventListener("changed", refresh);
    session.addEventListener("progress", ({ detail }) => (this.#undoButton.disabled = !detail.can_undo));
    this.#root.append(
      make("h2", {}, "History"),
      make(
        "div",
        { class: "tools-row" },
        make("label", {}, "Find", this.#filter),
        make("label", {}, "Undo my last", this.#number, "answers"),
        this.#undoButton,
      ),
      this.#known.root,
      this.#list,
    );
  }

  async load() {
    try {
      const { answers, known } = await get("api/history");
      this.#answers = answers.sort((a, b) => b.n - a.n);
      this.#known.draw(known ?? []);
      this.#draw();
    } catch (error) {
      this.#session.reportError(error);
    }
  }

  #draw() {
    const wanted = this.#filter.value.trim().toLowerCase();
    const found = this.#answers.filter((line) => wanted === "" || searchable(line).includes(wanted));
    if (found.length === 0) {
      redraw(
        this.#list,
        make("p", { class: "empty" }, this.#answers.length === 0 ? "No answers yet." : "No answer matches."),
      );
      return;
    }
    const more = found.length - this.#limit;
    redraw(
      this.#list,
      make(
        "table",
        { class: "lines" },
        make("caption", { class: "unseen" }, "Answers, newest first"),
        tableHead(["No.", "A", "B", "Answer", "By", "When", ""]),
        make("tbody", {}, ...found.slice(0, this.#limit).map((line) => this.#line(line))),
      ),
      ...(more > 0 ? [button(`Show ${more} older`, () => this.#showAll(), { "data-focus": "more" })] : []),
    );
  }

  #showAll() {
    this.#limit = Infinity;
    this.#draw();
  }

  #line(line) {
    const link = (record) =>
      make(
        "span",
        { class: "named" },
        ...thumbnails(record, 1),
        button(record.id, () => this.#openRecord(record.row), {
          class: "link",
          "data-focus": `${line.seq} ${record.row}`,
        }),
      );
    const record = (shown) => make("td", {}, link(shown));
    const author = line.yours ? "you" : line.author || "someone";
    return make(
      "tr",
      { "data-testid": "history-line", "data-answer": line.answer, "data-seq": line.seq },
      make("td", {}, String(line.n)),
      record(line.left),
      line.candidates ? make("td", { class: "many" }, ...line.candidates.map(link)) : record(line.right),
      make("td", {}, line.candidates ? this.#candidates(line) : this.#choices(line)),
      make("td", {}, author),
      make("td", {}, clock(line.at), line.edited ? make("span", { class: "aside" }, " changed") : null),
      make(
        "td",
        { class: "actions" },
        button("Remove", () => this.#change(line, "remove"), {
          "data-testid": "history-remove",
          "data-focus": `${line.seq} remove`,
          "aria-label": `Remove answer ${line.n}`,
        }),
      ),
    );
  }

  #choices(line) {
    const choices = Object.entries(LABELS).map(([answer, label]) =>
      button(label, () => answer !== line.answer && this.#change(line, answer), {
        "aria-pressed": String(answer === line.answer),
        "data-testid": `history-${answer}`,
        "data-focus": `${line.seq} ${answer}`,
      }),
    );
    return make("span", { class: "segments", role: "group", "aria-label": `Answer ${line.n}` }, ...choices);
  }

  /** The answers to a choice: each candidate by its number, none of them, and unsure. */
  #candidates(line) {
    const rows = line.candidates.map(({ row }) => row);
    const picks = line.candidates.map(({ row, id }, n) => {
      const isPressed = line.answer === "same" && row === line.right.row;
      const first = [row, ...rows.filter((other) => other !== row)];
      return button(String(n + 1), () => isPressed || this.#change(line, "same", first), {
        "aria-pressed": String(isPressed),
        "aria-label": `The same as ${id}`,
        title: `The same as ${id}`,
        "data-testid": "history-candidate",
        "data-focus": `${line.seq} pick ${row}`,
      });
    });
    const others = Object.entries({ different: "None", unsure: "Unsure" }).map(([answer, label]) =>
      button(label, () => answer !== line.answer && this.#change(line, answer), {
        "aria-pressed": String(answer === line.answer),
        "data-testid": `history-${answer}`,
        "data-focus": `${line.seq} ${answer}`,
      }),
    );
    return make(
      "span",
      { class: "segments", role: "group", "aria-label": `Answer ${line.n}` },
      ...picks,
      ...others,
    );
  }

  #change(line, to, candidates = []) {
    return this.#session.act("api/change", { seq: line.seq, to, candidates });
  }

  async #undoMany() {
    for (let left = Number(this.#number.value) || 1; left > 0 && this.#session.progress.can_undo; left -= 1) {
      if (!(await this.#session.act("api/undo"))) return;
    }
  }
}

function searchable({ left, right, candidates, author, answer, n }) {
  const ids = (candidates ?? [right]).map(({ id }) => id).join(" ");
  return `${n} ${left.id} ${ids} ${author} ${answer}`.toLowerCase();
}
