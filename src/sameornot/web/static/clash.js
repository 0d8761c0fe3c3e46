/** An answer that contradicts earlier ones: the chain that leads there, and what can be changed. */

import { byId, button, make } from "./dom.js";
import { claim, clock, count } from "./words.js";

const TITLES = {
  contradiction: "This contradicts earlier answers",
  too_many_groups: "This would need one group more",
  merge: "Merging changes earlier answers",
};

export function startClash(sitting) {
  sitting.addEventListener("clash", ({ detail }) => show(sitting, detail));
  byId("dialog-clash").addEventListener("cancel", () => byId("dialog-clash").close());
}

function show(sitting, payload) {
  const dialog = byId("dialog-clash");
  const choose = (option) => {
    dialog.close();
    resolve(sitting, payload, option);
  };
  dialog.replaceChildren(
    make("h2", { id: "clash-title", tabindex: "-1", autofocus: true }, TITLES[payload.kind]),
    make("p", { "data-testid": "clash-sentence" }, payload.sentence),
    ...chainOf(payload),
    make("h3", {}, "How should it be settled?"),
    make(
      "div",
      { class: "options" },
      ...payload.options.map((option) =>
        button(option.label, () => choose(option), { "data-testid": "clash-option" }),
      ),
      button("Keep everything as it was", () => dialog.close(), {
        class: "keep",
        "data-testid": "clash-cancel",
      }),
    ),
  );
  dialog.showModal();
}

function chainOf({ chain, said, left, right }) {
  if (chain.length === 0) return [];
  const lines = chain.map((line) =>
    make(
      "li",
      {},
      make("span", { class: "when" }, `Answer ${line.n}`),
      make(
        "span",
        {},
        make("span", { class: "word" }, sentence(line)),
        make("span", { class: "aside" }, ` ${byWhom(line)}`),
      ),
    ),
  );
  if (said !== null) {
    lines.push(
      make(
        "li",
        { class: "new" },
        make("span", { class: "when" }, "Now"),
        make("span", { class: "word" }, sentence({ left, right, answer: said.answer })),
      ),
    );
  }
  return [
    make("h3", {}, count(chain.length, "earlier answer")),
    make("ol", { class: "chain", tabindex: "0", "data-testid": "clash-chain" }, ...lines),
  ];
}

/** Make the changes of an option; the new answer goes along where the option keeps it. */
function resolve(sitting, { said }, { said: isKept, changes, clusters }) {
  const more = clusters === undefined ? {} : { clusters };
  return sitting.act("/api/resolve", { said: isKept ? said : null, changes, ...more });
}

function sentence({ left, right, answer }) {
  const words = claim(left, right, answer);
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function byWhom({ author, yours, at }) {
  return `${yours ? "you" : author || "someone"}, ${clock(at)}`;
}
