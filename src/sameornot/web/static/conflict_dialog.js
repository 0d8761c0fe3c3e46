/** The dialog for an answer that contradicts earlier ones: which ones, and what can be changed. */

import { byId, button, make, openDialog } from "./dom.js";
import { claim, clock, count } from "./format.js";

const TITLES = {
  contradiction: "This contradicts earlier answers",
  too_many_groups: "This would need one more group",
  merge: "Merging changes earlier answers",
};

function title({ kind, chain, known }) {
  return known && chain.length === 0 ? "This contradicts what was known before" : TITLES[kind];
}

export function startConflictDialog(session) {
  session.addEventListener("conflict", ({ detail }) => show(session, detail));
  byId("dialog-conflict").addEventListener("cancel", () => byId("dialog-conflict").close());
}

function show(session, payload) {
  const dialog = byId("dialog-conflict");
  const choose = (option) => {
    dialog.close();
    resolve(session, payload, option);
  };
  dialog.replaceChildren(
    make("h2", { id: "conflict-title", tabindex: "-1", autofocus: true }, title(payload)),
    make("p", { "data-testid": "conflict-sentence" }, payload.sentence),
    ...chainList(payload),
    ...knownList(payload),
    make("h3", {}, "How should it be settled?"),
    make(
      "div",
      { class: "options" },
      ...payload.options.map((option) =>
        button(option.label, () => choose(option), { "data-testid": "conflict-option" }),
      ),
      button("Keep everything as it was", () => dialog.close(), {
        class: "keep",
        "data-testid": "conflict-cancel",
      }),
    ),
  );
  openDialog(dialog);
}

function chainList({ chain, said, left, right, others }) {
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
        make("span", { class: "word" }, sentence({ left, right, others, answer: said.answer })),
      ),
    );
  }
  return [
    make("h3", {}, count(chain.length, "earlier answer")),
    make("ol", { class: "chain", tabindex: "0", "data-testid": "conflict-chain" }, ...lines),
  ];
}

/** What was known before the first question and takes part. */
function knownList({ known }) {
  if (!known) return [];
  const lines = known.map(({ source, text }) =>
    make("li", {}, make("span", { class: "when" }, source), make("span", { class: "word" }, text)),
  );
  return [
    make("h3", {}, "Known before"),
    make("ol", { class: "chain", tabindex: "0", "data-testid": "conflict-known" }, ...lines),
  ];
}

/** Apply the changes of an option, and the new answer unless the option drops it. */
function resolve(session, { said }, { said: isKept, changes, clusters, disregard }) {
  const newCount = clusters === undefined ? {} : { clusters };
  const leftOut = disregard === undefined ? {} : { disregard };
  return session.act("api/resolve", { said: isKept ? said : null, changes, ...newCount, ...leftOut });
}

function sentence({ left, right, answer, others }) {
  const words = claim(left, right, answer, others);
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function byWhom({ author, yours, at }) {
  return `${yours ? "you" : author || "someone"}, ${clock(at)}`;
}
