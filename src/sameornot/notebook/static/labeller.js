/** The widget: a question with its buttons and keys, the map, and how far the session is. */

import { button, make } from "./dom.js";
import { count, percent } from "./format.js";
import { KEYS, digit, letter } from "./keys.js";
import { N_FIRST, groupMark, questionTable } from "./question_table.js";
import { Scatter } from "./scatter.js";
import { followTheme } from "./theme.js";

// Milliseconds after which a question that is being answered is dimmed, so that a quick answer does not flicker.
const SLOW = 250;
// Groups that the legend names.
const N_NAMED = 8;

class LabellerView {
  #model;
  #parts;
  #scatter;
  #showsAll = false;
  #waiting = false;
  #slow = 0;

  constructor(model, element) {
    this.#model = model;
    this.#parts = build(this);
    this.root = this.#parts.root;
    element.append(this.root);
    this.#scatter = new Scatter(this.#parts.map);
    this.root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get question() {
    return this.#model.get("view").question;
  }

  /** Draw the map again, in a new theme: with the next frame, as a notebook hides its cells while it changes. */
  repaint() {
    requestAnimationFrame(() => this.#scatter.draw());
  }

  show() {
    const { question, progress, message } = this.#model.get("view");
    const parts = this.#parts;
    const hadFocus = this.root.matches(":focus-within");
    this.#wait(false);
    this.root.dataset.question = question === null ? "none" : String(question.number);
    this.root.dataset.kind = question === null ? "end" : question.is_choice ? "choice" : "pair";
    parts.title.textContent = titleOf(question);
    parts.number.textContent = question === null ? "" : `Question ${question.number}`;
    parts.why.textContent = question === null ? "" : question.why;
    parts.message.textContent = message;
    parts.message.hidden = message === "";
    parts.undo.disabled = progress.answers === 0;
    parts.mode.hidden = !progress.can_choose;
    parts.mode.textContent = progress.wants_pairs ? "Choose among groups" : "Ask about pairs";
    this.#showRecords(question);
    showProgress(parts, progress);
    // What had the focus may be gone; the keys must go on working.
    if (hadFocus && !this.root.matches(":focus-within")) this.root.focus({ preventScroll: true });
  }

  showPicture() {
    const picture = this.#model.get("picture");
    const sizes = new Map();
    for (const group of picture.group) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    this.#scatter.show(picture);
    this.#markRows();
    this.#parts.legend.replaceChildren(...legendOf(sizes));
  }

  toggleAll() {
    this.#showsAll = !this.#showsAll;
    this.#showRecords(this.question);
  }

  /** Say what the person does about the question that is shown. */
  act(action) {
    if (this.#waiting) return;
    this.#wait(true);
    this.#model.set("action", { ...action, question: this.#model.get("view").id });
    this.#model.save_changes();
  }

  answer(answer) {
    if (this.question !== null) this.act({ do: "answer", answer });
  }

  pick(n) {
    this.answer(this.question.candidates[n].row);
  }

  togglePairs() {
    this.act({ do: "pairs", pairs: !this.#model.get("view").progress.wants_pairs });
  }

  undo() {
    if (this.#model.get("view").progress.answers > 0) this.act({ do: "undo" });
  }

  #wait(waiting) {
    this.#waiting = waiting;
    clearTimeout(this.#slow);
    delete this.root.dataset.slow;
    if (waiting) this.#slow = setTimeout(() => (this.root.dataset.slow = "true"), SLOW);
  }

  #showRecords(question) {
    const parts = this.#parts;
    parts.records.replaceChildren();
    parts.more.hidden = question === null || question.fields.length <= N_FIRST;
    if (question === null) return;
    const rest = question.n_more > 0 ? `, ${question.n_more} more are not shown` : "";
    parts.more.textContent = this.#showsAll
      ? `Show the first ${N_FIRST} fields${rest}`
      : `Show all ${question.fields.length} fields${rest}`;
    const options = { showsAll: this.#showsAll, pick: (n) => this.pick(n) };
    parts.records.append(questionTable(question, options));
    this.#markRows();
  }

  #markRows() {
    const question = this.question;
    if (question === null) return this.#scatter.ask([]);
    const { left, candidates, is_choice: isChoice } = question;
    const signs = isChoice ? candidates.map((_, n) => String(n + 1)) : ["B"];
    const marked = candidates.map(({ row }, n) => [row, signs[n]]);
    this.#scatter.ask([[left.row, isChoice ? "?" : "A"], ...marked]);
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The notebook has keys of its own, which cut cells and restart the kernel: none of these gets there.
    event.stopPropagation();
    if (event.repeat || !this.#answerWith(letter(event), digit(event))) return;
    event.preventDefault();
  }

  #answerWith(key, number) {
    if (key === "z") this.undo();
    else if (key === "u") this.answer("unsure");
    else if (this.question?.is_choice) {
      if (number === 0) this.answer("different");
      else if (number <= this.question.candidates.length) this.pick(number - 1);
      else return false;
    } else if (key in KEYS) this.answer(KEYS[key]);
    else return false;
    return true;
  }
}

function titleOf(question) {
  if (question === null) return "Nothing is left to ask.";
  return question.is_choice ? "Which of these is the same kind?" : "Are these two the same kind?";
}

/** The elements that stay, with their listeners. */
function build(view) {
  const key = (letter) => make("kbd", { "aria-hidden": "true" }, letter);
  const answer = (name, letter, label, kind) =>
    make(
      "button",
      { type: "button", class: `answer ${kind}`, "data-testid": name, on: { click: (event) => event.detail < 2 && view.answer(name) } },
      key(letter),
      label,
    );
  const parts = {
    number: make("span", { class: "number" }),
    title: make("strong", { class: "title", "aria-live": "polite" }),
    why: make("p", { class: "why" }),
    message: make("p", { class: "message", role: "alert", hidden: true }),
    mode: button("", () => view.togglePairs(), { class: "quiet", "data-testid": "mode" }),
    records: make("div", { class: "scroll" }),
    more: button("", () => view.toggleAll(), { class: "quiet", "data-testid": "more" }),
    map: make("canvas", { class: "map", role: "img", "aria-label": "All rows in the learned space, coloured by group" }),
    legend: make("ul", { class: "legend" }),
    undo: make("button", { type: "button", class: "answer undo", "data-testid": "undo", on: { click: () => view.undo() } }, key("Z"), "Undo"),
    status: make("p", { class: "status", "aria-live": "polite", "data-testid": "status" }),
    hint: make("p", { class: "hint", "data-testid": "hint" }),
  };
  const hint = make("span", { class: "focus-hint" }, "Click here to answer with the keys");
  parts.root = make(
    "section",
    { class: "sameornot-labeller", tabindex: "0", "aria-label": "sameornot: label rows", "data-testid": "labeller", "data-lm-suppress-shortcuts": "true" },
    make("header", {}, parts.number, parts.title, hint, parts.mode),
    parts.why,
    parts.message,
    make(
      "div",
      { class: "body" },
      make("div", { class: "question" }, parts.records, parts.more),
      make("aside", {}, parts.map, parts.legend),
    ),
    make(
      "footer",
      {},
      answer("same", "S", "Same", "for-pair"),
      answer("different", "D", "Different", "for-pair"),
      make("button", { type: "button", class: "answer for-choice", "data-testid": "none", on: { click: () => view.answer("different") } }, key("0"), "None of these"),
      answer("unsure", "U", "Unsure", "for-any"),
      parts.undo,
      make("div", { class: "state" }, parts.status, parts.hint),
    ),
  );
  return parts;
}

function legendOf(sizes) {
  const groups = [...sizes].sort(([a], [b]) => a - b);
  const named = groups
    .slice(0, N_NAMED)
    .map(([number, size]) => make("li", {}, groupMark(number - 1), `group ${number - 1}: ${size.toLocaleString("en")}`));
  const rest = groups.length - N_NAMED;
  return rest > 0 ? [...named, make("li", {}, `and ${rest} more`)] : named;
}

function showProgress({ status, hint }, progress) {
  const { answers, unsure, budget, agreement, can_stop: canStop } = progress;
  const given = budget === null ? count(answers, "answer") : `${answers} of ${budget} answers`;
  status.textContent = [given, unsure > 0 ? `${unsure} unsure` : "", groupsKnown(progress)]
    .filter((text) => text !== "")
    .join(" · ");
  hint.dataset.canStop = String(canStop);
  hint.textContent = agreement === null || answers === 0 ? "" : `${canStop ? "You can stop: about" : "About"} ${agreementText(agreement)}`;
}

function agreementText({ estimate, low, high }) {
  return `${percent(estimate)} of the rows are right (${percent(low)} to ${percent(high)})`;
}

/** How many groups are known, of how many: the given number, or the estimated one with its interval. */
function groupsKnown({ known, clusters, expected }) {
  if (clusters !== null) return `${known} of ${clusters} groups`;
  if (expected === null) return count(known, "group");
  return `${known} of about ${expected.estimate} groups (${expected.low} to ${expected.high})`;
}

/** What anywidget calls for each place in which the widget is shown; returns what ends it. */
export function render({ model, el }) {
  const view = new LabellerView(model, el);
  const endTheme = followTheme(view.root, () => view.repaint());
  const changes = { "change:view": () => view.show(), "change:picture": () => view.showPicture() };
  for (const [change, react] of Object.entries(changes)) model.on(change, react);
  view.show();
  view.showPicture();
  return () => {
    endTheme();
    for (const [change, react] of Object.entries(changes)) model.off(change, react);
  };
}
