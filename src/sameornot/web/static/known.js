/** What was known before the first question: labels of a column and pairs of a file, to be left out or put back. */

import { button, make, redraw } from "./dom.js";
import { count } from "./format.js";

export class KnownList {
  root = make("section", { class: "known", "data-testid": "known" });
  #session;
  #open = new Set();

  constructor(session) {
    this.#session = session;
  }

  draw(sources) {
    this.root.hidden = sources.length === 0;
    redraw(this.root, ...sources.map((source) => this.#source(source)));
  }

  #source(source) {
    const { name, n, items, removed, n_aside: nAside } = source;
    const states = [
      count(n, name.startsWith("column ") ? "label" : "pair"),
      removed.length > 0 ? `${removed.length} left out` : null,
      nAside > 0 ? `${nAside} set aside` : null,
    ].filter((state) => state !== null);
    const everything = Array.from({ length: n }, (_, at) => at);
    const isOut = removed.length === n;
    const details = make(
      "details",
      {
        "data-testid": "known-source",
        on: {
          toggle: ({ target }) =>
            target.open ? this.#open.add(source.source) : this.#open.delete(source.source),
        },
      },
      make("summary", {}, `Known before: ${name}`, make("span", { class: "aside" }, ` ${states.join(", ")}`)),
      make(
        "p",
        { class: "tools-row" },
        button(
          isOut ? "Put all back" : "Leave all out",
          () => this.#set(source, isOut ? [] : everything),
          { "data-testid": "known-all", "data-focus": `known ${source.source}` },
        ),
      ),
      make("table", { class: "lines" }, make("tbody", {}, ...items.map((item) => this.#item(source, item)))),
      items.length < n ? make("p", { class: "aside" }, `and ${(n - items.length).toLocaleString("en")} more`) : null,
    );
    details.open = this.#open.has(source.source);
    return details;
  }

  #item(source, { at, text, removed: isOut, against }) {
    const others = source.removed.filter((other) => other !== at);
    return make(
      "tr",
      { "data-testid": "known-item", "data-out": String(isOut) },
      make(
        "td",
        {},
        make(isOut ? "s" : "span", {}, text),
        against.length > 0
          ? make("span", { class: "aside" }, ` set aside: it contradicts ${against.join(" and ")}`)
          : null,
      ),
      make(
        "td",
        { class: "actions" },
        button(
          isOut ? "Put back" : "Leave out",
          () => this.#set(source, isOut ? others : [...others, at]),
          { "data-testid": "known-toggle", "data-focus": `known ${source.source} ${at}` },
        ),
      ),
    );
  }

  #set({ source }, items) {
    return this.#session.act("api/disregard", { source, items });
  }
}
