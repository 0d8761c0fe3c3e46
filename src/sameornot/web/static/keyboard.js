/** Keyboard shortcuts: one key per answer; of a choice, the number of a candidate. */

import { byId } from "./dom.js";
import { KEYS, digit, letter } from "./keys.js";

const SCROLL = { ArrowDown: 60, ArrowUp: -60, PageDown: 400, PageUp: -400 };
const TYPING = "input, textarea, select, [contenteditable]";

/** `view()` names the current view; `isOn()` says whether answering with single keys is enabled. */
export function startKeys(session, { view, isOn, help }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && !(event.key in SCROLL))) return;
    if (event.target.matches(TYPING) || document.querySelector("dialog[open]")) return;
    if (view() === "question" && scroll(event)) return;
    if (!isOn()) return;
    const key = letter(event);
    if (key === "?") help();
    else if (key === "z" && view() !== "download") undo(session);
    else if (view() !== "question" || !answerWith(session, key, event)) return;
    event.preventDefault();
  });
}

/** Answer the question with a key; returns whether the key is an answer to it. */
function answerWith(session, key, event) {
  const candidates = session.question?.choice;
  if (!candidates) {
    if (key in KEYS) session.answer(KEYS[key], event.timeStamp);
    return key in KEYS;
  }
  const number = digit(event);
  if (key === "u") session.choose("unsure", null, event.timeStamp);
  else if (number === 0) session.choose("different", null, event.timeStamp);
  else if (number <= candidates.length) session.choose("same", candidates[number - 1].row, event.timeStamp);
  else return false;
  return true;
}

function undo(session) {
  if (session.progress?.can_undo) session.act("api/undo");
}

/** The page itself does not scroll, so the arrow keys scroll the table wherever the focus is. */
function scroll(event) {
  const by = SCROLL[event.key];
  if (by === undefined || event.target.closest(".pictures, .tabs"))
    return false;
  byId("compare").scrollBy({ top: by });
  event.preventDefault();
  return true;
}
