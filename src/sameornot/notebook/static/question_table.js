/** The records of a question: one column each, one line for each field, the heaviest fields first. */

import { bar, make, unseen } from "./dom.js";
import { distance, isText } from "./field.js";
import { percent } from "./format.js";
import { hue, swatch } from "./palette.js";
import { markDifferences, markedNodes } from "./word_difference.js";

// Fields that are shown before the person asks for all.
export const N_FIRST = 8;
const DISTANCES = { alike: "alike", near: "different", far: "far apart" };

/** The table of a question; `pick(n)` is called for the n-th candidate of a choice. */
export function questionTable(question, { showsAll, pick }) {
  const { left, candidates, fields, is_choice: isChoice } = question;
  const shown = showsAll ? fields : fields.slice(0, N_FIRST);
  const heaviest = Math.max(...fields.map((field) => field.weight), Number.MIN_VALUE);
  const hasImages = [left, ...candidates].some((record) => record.image);
  const hasText = shown.some(({ left: text, cells }) => cells.some(({ right }) => isText({ left: text, right })));
  const heads = candidates.map((candidate, n) => candidateHead(candidate, n, isChoice, pick));
  return make(
    "table",
    { class: "records", "data-choice": String(isChoice), "data-text": String(hasText) },
    make("caption", { class: "unseen" }, "The records, field by field"),
    make(
      "thead",
      {},
      make("tr", {}, make("th", { class: "column" }, unseen("Field")), recordHead(left, isChoice), ...heads),
    ),
    make(
      "tbody",
      {},
      hasImages ? imageLine([left, ...candidates]) : null,
      ...shown.map((field) => fieldLine(field, heaviest)),
    ),
  );
}

function recordHead({ row, name }, isChoice) {
  return make("th", { scope: "col", class: "record", title: name, "data-row": row }, sign(isChoice ? "?" : "A"), name);
}

/** What a record is marked with on the map. */
function sign(letter) {
  return make("span", { class: "sign", "aria-hidden": "true" }, letter);
}

function candidateHead(candidate, n, isChoice, pick) {
  const { row, name, group } = candidate;
  const mark = group === null ? null : groupMark(group);
  if (!isChoice) {
    const of = mark === null ? null : make("span", { class: "of" }, mark, `group ${group}`);
    return make("th", { scope: "col", class: "record", title: name, "data-row": row }, sign("B"), name, of);
  }
  const label = group === null ? name : `group ${group}`;
  return make(
    "th",
    { scope: "col", class: "record", "data-row": row },
    make(
      "button",
      {
        type: "button",
        class: "pick",
        "data-testid": "pick",
        "aria-label": `${n + 1}: the same kind as ${name}, ${label}`,
        on: { click: () => pick(n) },
      },
      make("kbd", { "aria-hidden": "true" }, String(n + 1)),
      mark ?? "",
      make("span", { class: "group" }, label),
    ),
    make("span", { class: "name", title: name }, name),
  );
}

/** The symbol of a group, in its colour. */
export function groupMark(label) {
  const mark = swatch(label + 1);
  mark.style.fill = `var(--g${hue(label + 1)})`;
  return mark;
}

function imageLine(records) {
  const cells = records.map(({ name, image }) =>
    make("td", { class: "picture" }, image ? make("img", { src: image, alt: `Image of ${name}` }) : "no image"),
  );
  return make("tr", {}, make("th", { scope: "row" }, unseen("Image")), ...cells);
}

function fieldLine({ column, weight, left, cells }, heaviest) {
  const isLong = cells.some(({ right }) => isText({ left, right }));
  const share = weight === null ? null : bar(weight / heaviest, { class: "share" });
  const title = weight === null ? column : `${column}: weighs ${percent(weight)} now`;
  return make(
    "tr",
    { "data-long": String(isLong) },
    make("th", { scope: "row", title }, make("div", { class: "column-name" }, share, column)),
    make("td", {}, ...shownCell(left, isLong && cells.length === 1 ? cells[0].right : null)),
    ...cells.map((cell) => {
      const apart = distance(cell);
      const shown = shownCell(cell.right, isLong ? left : null);
      return make("td", { "data-apart": apart }, ...shown, unseen(`, ${DISTANCES[apart]}`));
    }),
  );
}

/** A value; a text that is compared with another one, with the words marked that differ. */
function shownCell(text, other) {
  if (text === "") return [make("span", { "aria-hidden": "true" }, "–"), unseen("no value")];
  const parts = other === null ? [text] : markedNodes(markDifferences(text, other)[0]);
  return [make("div", { class: "cell" }, ...parts)];
}
