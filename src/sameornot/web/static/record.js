/** One record, whole, in a dialog. */

import { get } from "./api.js";
import { bar, byId, button, make } from "./dom.js";
import { go } from "./routes.js";
import { percent } from "./words.js";

/** Returns a function that opens the record of a row. */
export function recordOpener(sitting) {
  return async (row) => {
    try {
      show(sitting, await get("/api/record", { row }));
    } catch (problem) {
      sitting.complain(problem);
    }
  };
}

/** Make the next question one about this row, and go there. */
export async function askAbout(sitting, row) {
  if (await sitting.act("/api/ask_about", { row })) go("question");
}

function show(sitting, { record, fields }) {
  const dialog = byId("dialog-record");
  const ask = () => {
    dialog.close();
    askAbout(sitting, record.row);
  };
  const heaviest = Math.max(...fields.map((field) => field.weight), Number.MIN_VALUE);
  dialog.replaceChildren(
    ...[
      make("h2", { id: "record-title" }, record.id),
      record.placed ? make("p", { class: "aside" }, "Placed by an answer.") : null,
      record.image
        ? make("img", { class: "record-image", src: record.image, alt: `Image of ${record.id}` })
        : null,
      make(
        "div",
        { class: "record-fields", tabindex: "0", role: "region", "aria-label": "All columns" },
        make(
          "table",
          { class: "lines" },
          make("tbody", {}, ...fields.map((field) => fieldLine(field, heaviest))),
        ),
      ),
      make(
        "p",
        { class: "row" },
        button("Close", () => dialog.close(), { class: "main", "data-testid": "record-close" }),
        record.placed ? null : button("Ask me about it", ask, { "data-testid": "record-ask" }),
      ),
    ].filter((part) => part !== null),
  );
  dialog.showModal();
}

function fieldLine({ column, value, weight }, heaviest) {
  return make(
    "tr",
    {},
    make(
      "th",
      { scope: "row" },
      make(
        "span",
        { class: "name", title: `Weighs ${percent(weight)} now` },
        bar(weight / heaviest, { class: "share" }),
        column,
      ),
    ),
    make("td", {}, value === "" ? "–" : value),
  );
}
