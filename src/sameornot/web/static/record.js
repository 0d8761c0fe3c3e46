/** The dialog with all fields of one record. */

import { get } from "./api.js";
import { bar, byId, button, make, openDialog } from "./dom.js";
import { pictures } from "./pictures.js";
import { go } from "./routes.js";
import { percent } from "./format.js";

/** Returns a function that opens the record of a row. */
export function recordOpener(session) {
  return async (row) => {
    try {
      show(session, await get("api/record", { row }));
    } catch (error) {
      session.reportError(error);
    }
  };
}

/** Ask next about this row, and show the question. */
export async function askAbout(session, row) {
  if (await session.act("api/ask_about", { row })) go("question");
}

function show(session, { record, fields }) {
  const dialog = byId("dialog-record");
  const ask = () => {
    dialog.close();
    askAbout(session, record.row);
  };
  const heaviest = Math.max(...fields.map((field) => field.weight), Number.MIN_VALUE);
  dialog.replaceChildren(
    ...[
      make("h2", { id: "record-title" }, record.id),
      record.placed ? make("p", { class: "aside" }, "Placed by an answer.") : null,
      record.images.length > 0 ? make("div", { class: "record-images" }, pictures(record)) : null,
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
  openDialog(dialog);
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
