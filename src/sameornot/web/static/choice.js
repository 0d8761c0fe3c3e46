/** A record and candidates from several groups: a table whose columns are cards, each with a button to choose it. */

import { bar, byId, button, make, unseen } from "./dom.js";
import { distance, isText } from "./field.js";
import { percent } from "./format.js";
import { swatch } from "./palette.js";
import { pictureButton } from "./pictures.js";
import { markDifferences, markedNodes } from "./word_difference.js";

export function showChoice(question, number, openRecord) {
  const { left, fields, choice } = question;
  const hasImages = [left, ...choice].some((record) => record.images.length > 0);
  const table = byId("choice");
  byId("question-title").textContent = "Which of these is the same kind?";
  table.style.setProperty("--candidates", choice.length);
  table.dataset.text = String(fields.some(isText));
  table.replaceChildren(
    make("caption", { class: "unseen" }, "A record and candidates, column by column"),
    tableHeadOf(left, choice, openRecord),
    make(
      "tbody",
      {},
      ...(hasImages ? [imageRow(left, choice, openRecord)] : []),
      ...fieldRows(fields, choice),
    ),
  );
  const spoken = choice.map(({ group, id }, n) => `${n + 1}: ${group}, ${id}.`).join(" ");
  byId("spoken").textContent =
    `Question ${number}. ${left.id}: which of these is the same kind? ${spoken} Or none.`;
}

/** Say how questions are asked, where the person can change it. */
export function showMode(question, { choices }) {
  const isChoice = Boolean(question?.choice);
  byId("mode-line").hidden = !isChoice && choices !== 1;
  byId("mode-text").textContent = isChoice
    ? "Several groups at once take fewer questions."
    : "You asked for pairs.";
  byId("mode").textContent = isChoice ? "Ask about pairs" : "Choose among groups";
}

function tableHeadOf(left, choice, openRecord) {
  const record = make(
    "th",
    { scope: "col", class: "record" },
    make("span", { class: "role" }, "This record"),
    idButton(left, "This record", "choice-record", openRecord),
  );
  const cards = choice.map((candidate, n) =>
    make(
      "th",
      { scope: "col", class: "candidate" },
      pickButton(candidate, n + 1),
      idButton(candidate, candidate.group, "candidate-id", openRecord),
    ),
  );
  const column = make("th", { scope: "col", class: "column" }, "Column");
  return make("thead", {}, make("tr", {}, column, record, ...cards));
}

function pickButton({ row, id, group, number }, n) {
  return make(
    "button",
    {
      type: "button",
      class: "answer pick",
      title: group,
      "data-answer": "same",
      "data-candidate": row,
      "data-testid": "pick",
      "aria-keyshortcuts": n,
      "aria-label": `${n}: the same kind as ${id} of ${group}`,
    },
    make("kbd", { "aria-hidden": "true" }, String(n)),
    swatch(number),
    make("span", { class: "group" }, group),
  );
}

function idButton(record, role, testId, openRecord) {
  return button(record.id, () => openRecord(record.row), {
    class: "id",
    "data-testid": testId,
    "aria-label": `${role}, ${record.id}: open all of it`,
    title: "Open the whole record",
  });
}

function imageRow(left, choice, openRecord) {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, unseen("Image")),
    imageCell(left, "record", openRecord),
    ...choice.map((candidate) => imageCell(candidate, "candidate", openRecord)),
  );
}

function imageCell(record, kind, openRecord) {
  const content = pictureButton(record, record.id, () => openRecord(record.row));
  return make("td", { class: `${kind} picture` }, content);
}

function fieldRows(fields, choice) {
  const heaviest = Math.max(...fields.map((field) => field.weight), Number.MIN_VALUE);
  return fields.map((field, n) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make(
          "span",
          { class: "name", title: `Weighs ${percent(field.weight)} now` },
          bar(field.weight / heaviest, { class: "share" }),
          field.column,
        ),
      ),
      make("td", { class: "record" }, ...shownValue([field.left], field.left, field.left_filled)),
      ...choice.map(({ fields: cells }) => candidateCell(field.left, cells[n])),
    ),
  );
}

function candidateCell(left, cell) {
  const apart = distance(cell);
  const shown = isText({ ...cell, left }) ? markedNodes(markDifferences(left, cell.right)[1]) : [cell.right];
  return make(
    "td",
    { class: "candidate", "data-apart": apart },
    ...shownValue(shown, cell.right, cell.right_filled),
    unseen(`, ${{ alike: "alike", near: "different", far: "far apart" }[apart]}`),
  );
}

function shownValue(shown, text, filled) {
  if (text === "") return [make("span", { "aria-hidden": "true" }, "–"), unseen("no value")];
  const value = make("span", { class: "clip", title: text }, ...shown);
  if (!filled) return [value];
  return [value, make("span", { class: "filled", title: "This cell was empty in the table" }, "filled in")];
}
