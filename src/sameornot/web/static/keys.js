/** The keyboard: one key, one answer. */

import { byId } from "./dom.js";

const ANSWERS = { s: "same", d: "different", u: "unsure" };
const SCROLL = { ArrowDown: 60, ArrowUp: -60, PageDown: 400, PageUp: -400 };
const TYPING = "input, textarea, select, [contenteditable]";

/** `view()` names the view on the screen; `isOn()` says whether the person wants single keys. */
export function startKeys(sitting, { view, isOn, help }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && !(event.key in SCROLL))) return;
    if (event.target.matches(TYPING) || document.querySelector("dialog[open]")) return;
    if (view() === "question" && scroll(event)) return;
    if (!isOn()) return;
    const key = letter(event);
    if (key === "?") help();
    else if (key === "z" && view() !== "download") undo(sitting);
    else if (key in ANSWERS && view() === "question") sitting.answer(ANSWERS[key], event.timeStamp);
    else return;
    event.preventDefault();
  });
}

/** The letter on the key; on a keyboard of another script, the one at its place. */
function letter(event) {
  const typed = event.key.toLowerCase();
  const isForeign = typed.length === 1 && typed > "\u007f";
  return isForeign && event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : typed;
}

function undo(sitting) {
  if (sitting.progress?.can_undo) sitting.act("/api/undo");
}

/** The page itself does not scroll, so the arrows move the table wherever the focus is. */
function scroll(event) {
  const by = SCROLL[event.key];
  if (by === undefined || event.target.closest(".pictures, .tabs") || event.target.matches(".text"))
    return false;
  byId("compare").scrollBy({ top: by });
  event.preventDefault();
  return true;
}
