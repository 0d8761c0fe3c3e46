/** The question view: two records, or a record and candidates, column by column, and the buttons below. */

import { showChoice, showMode } from "./choice.js";
import { afterPaint, bar, byId, button, make, unseen } from "./dom.js";
import { distance, isText } from "./field.js";
import { percent } from "./format.js";
import { pictureButton } from "./pictures.js";
import { markDifferences, markedNodes } from "./word_difference.js";

// Milliseconds after which a pair that is being answered is dimmed, so that a quick answer does not flicker.
const SLOW = 200;

export class QuestionView {
  #session;
  #openRecord;
  #slow = 0;

  constructor(session, openRecord) {
    this.#session = session;
    this.#openRecord = openRecord;
    session.addEventListener("question", ({ detail }) => this.#show(detail));
    session.addEventListener("busy", ({ detail }) => this.#press(detail));
    session.addEventListener("progress", ({ detail }) => {
      byId("undo").disabled = !detail.can_undo;
      showMode(session.question, detail);
    });
    byId("ask").addEventListener("click", (event) => {
      const answer = event.target.closest(".answer");
      // The second click of a double click would answer the next question unread.
      if (answer !== null && event.detail < 2) this.#answer(answer.dataset, event.timeStamp);
    });
    byId("mode").addEventListener("click", () => {
      session.act("api/prefer", { choices: session.question?.choice ? 1 : null });
    });
    for (const id of ["undo", "end-undo"]) byId(id).addEventListener("click", () => session.act("api/undo"));
    for (const side of ["left", "right"]) {
      byId(`${side}-id`).addEventListener("click", () => openRecord(session.question[side].row));
    }
  }

  #answer({ answer, candidate }, pressedAt) {
    if (!this.#session.question?.choice) this.#session.answer(answer, pressedAt);
    else this.#session.choose(answer, candidate === undefined ? null : Number(candidate), pressedAt);
  }

  #show({ question, pressedAt }) {
    byId("loading").hidden = true;
    byId("ask").hidden = question === null;
    byId("end").hidden = question !== null;
    if (question === null) showEnd(this.#session.progress);
    else this.#showQuestion(question, this.#session.progress.asked + 1);
    afterPaint((now) => this.#painted(question, pressedAt, now));
  }

  #showQuestion(question, number) {
    // Before the changes, since afterwards it would force another layout.
    byId("compare").scrollTop = 0;
    byId("question-number").textContent = `Question ${number}`;
    byId("why").textContent = question.why;
    byId("ask").dataset.kind = question.choice ? "choice" : "pair";
    if (question.choice) showChoice(question, number, this.#openRecord);
    else showPair(question, number);
    byId("more").hidden = question.n_more === 0;
    byId("more").textContent = moreColumns(question.n_more);
  }

  #painted(question, pressedAt, now) {
    if (question !== this.#session.question) return;
    this.#session.painted();
    if (pressedAt !== null) window.sameornotTimings.push(now - pressedAt);
    document.documentElement.dataset.question = question?.id ?? "none";
    document.documentElement.dataset.ready = "true";
  }

  #press(what) {
    clearTimeout(this.#slow);
    if (what === null) delete byId("ask").dataset.slow;
    else this.#slow = setTimeout(() => (byId("ask").dataset.slow = "true"), SLOW);
    for (const answer of document.querySelectorAll(".answer")) {
      const { answer: said, candidate } = answer.dataset;
      answer.dataset.pressed = String((candidate ?? said) === String(what));
    }
  }
}

function showPair(question, number) {
  const { left, right, fields } = question;
  byId("question-title").textContent = "Are these two the same kind?";
  nameRecord("left", "A", left);
  nameRecord("right", "B", right);
  const heaviest = Math.max(...fields.map((field) => field.weight), Number.MIN_VALUE);
  byId("pair").dataset.text = String(fields.some(isText));
  byId("fields").replaceChildren(
    ...fields.flatMap((field) => (isText(field) ? textRows(field, heaviest) : [valueRow(field, heaviest)])),
  );
  showImages(left, right);
  byId("images").dataset.alone = String(fields.length === 0);
  byId("spoken").textContent = `Question ${number}. ${left.id} and ${right.id}: are these two the same kind?`;
}

function moreColumns(n) {
  return `${n} more ${n === 1 ? "column is" : "columns are"} not shown; open a record to see all.`;
}

function nameRecord(side, letter, record) {
  const id = byId(`${side}-id`);
  id.textContent = record.id;
  id.setAttribute("aria-label", `Record ${letter}, ${record.id}: open all of it`);
  id.title = record.placed ? "Already placed by an answer. Open the whole record" : "Open the whole record";
}

function valueRow(field, heaviest) {
  return make(
    "tr",
    { "data-apart": distance(field) },
    make("th", { scope: "row" }, columnName(field, heaviest)),
    valueCell("left", field.left, field.left_filled),
    make("td", { class: "spine" }, gapMark(field)),
    valueCell("right", field.right, field.right_filled),
  );
}

function columnName(field, heaviest) {
  return make(
    "span",
    { class: "name", title: `Weighs ${percent(field.weight)} now` },
    bar(field.weight / heaviest, { class: "share" }),
    field.column,
  );
}

function valueCell(side, text, filled) {
  const parts = [text === "" ? noValue() : text];
  if (filled) parts.push(" ", filledTag());
  // On the left the tag comes first, so that the values are next to the middle column.
  return make("td", { class: `value ${side}` }, ...(side === "left" ? parts.reverse() : parts));
}

function noValue() {
  return make("span", {}, make("span", { "aria-hidden": "true" }, "–"), unseen("no value"));
}

function filledTag() {
  return make("span", { class: "filled", title: "This cell was empty in the table" }, "filled in");
}

/** Two rows for a pair of long texts: the name of the column, then both texts over half of the width each. */
function textRows(field, heaviest) {
  const [left, right] = markDifferences(field.left, field.right);
  return [
    make(
      "tr",
      { class: "text-name" },
      make("th", { scope: "row", colspan: "4" }, columnName(field, heaviest)),
    ),
    make(
      "tr",
      { class: "texts", "data-testid": "texts" },
      textCell("A", left, field.left_filled),
      textCell("B", right, field.right_filled),
    ),
  ];
}

function textCell(letter, parts, filled) {
  return make(
    "td",
    { colspan: "2" },
    make("span", { class: "letter", "aria-hidden": "true" }, letter),
    make("span", { class: "text" }, ...(parts.length === 0 ? [noValue()] : markedNodes(parts))),
    filled ? filledTag() : null,
  );
}

/** The mark between two values: a bar towards the larger one, or a sign. */
function gapMark(field) {
  const side = larger(field);
  const isBar = side !== "none" && field.gap !== null && field.gap > 0;
  const mark = make("span", { class: "gap", "data-side": side });
  if (isBar) {
    const length = make("span", { class: "bar" });
    length.style.setProperty("--far", Math.min(1, field.gap));
    mark.append(length);
  } else {
    mark.append(make("span", { class: "glyph", "aria-hidden": "true" }, field.differs ? "≠" : "="));
  }
  const which = { left: ", A is larger", right: ", B is larger", none: "" }[side];
  mark.append(unseen({ alike: "alike", near: `different${which}`, far: `far apart${which}` }[distance(field)]));
  return mark;
}

function larger({ kind, left, right }) {
  if (left === "" || right === "") return "none";
  if (kind === "date") return left === right ? "none" : left > right ? "left" : "right";
  if (kind !== "number") return "none";
  const difference = Number(left) - Number(right);
  return difference > 0 ? "left" : difference < 0 ? "right" : "none";
}

function showImages(left, right) {
  const box = byId("images");
  box.hidden = left.images.length + right.images.length === 0;
  if (box.hidden) box.replaceChildren();
  else box.replaceChildren(imageOf("A", left, "left-id"), imageOf("B", right, "right-id"));
}

function imageOf(letter, record, opener) {
  return make(
    "figure",
    {},
    pictureButton(record, `record ${letter}, ${record.id}`, () => byId(opener).click()),
    make("span", { class: "letter", "aria-hidden": "true" }, letter),
  );
}

function showEnd(progress) {
  byId("end-title").textContent = progress.waiting
    ? "Someone else is looking at what is left"
    : "There is nothing left to ask";
  byId("end-text").textContent = progress.waiting
    ? "The open questions are on other people’s screens. The next one comes by itself."
    : `${progress.moved === null ? "" : progress.hint} Everything is saved.`.trim();
  byId("end-undo").disabled = !progress.can_undo;
  byId("spoken").textContent = byId("end-title").textContent;
}
