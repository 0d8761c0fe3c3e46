/** Sentences on the page: what was done, what went wrong, is the server there, what was read of the table. */

import { byId, make } from "./dom.js";
import { recall, remember } from "./memory.js";
import { count } from "./words.js";

// Milliseconds that "said" stays, and that a lost connection may last before it is worth a banner.
const SAID = 4500;
const PATIENCE = 1200;

export function startNotices(sitting) {
  sitting.addEventListener("opened", ({ detail }) => showNotices(detail));
  sitting.addEventListener("said", ({ detail }) => say(detail));
  sitting.addEventListener("problem", ({ detail }) => showProblem(detail));
  sitting.addEventListener("question", () => {
    byId("problem").hidden = true;
    byId("said").textContent = "";
  });
  byId("problem-close").addEventListener("click", () => (byId("problem").hidden = true));
  watchConnection(sitting);
}

let saidTimer = 0;

/** A sentence that goes away by itself; screen readers hear it. */
export function say(sentence) {
  byId("said").textContent = sentence;
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => (byId("said").textContent = ""), SAID);
}

function showProblem(sentence) {
  byId("problem-sentence").textContent = sentence;
  byId("problem").hidden = false;
}

function watchConnection(sitting) {
  let timer = 0;
  sitting.addEventListener("lost", () => {
    timer = setTimeout(() => {
      byId("offline").textContent = sitting.busy
        ? "The server does not answer. Your answer is kept here and is sent as soon as it does."
        : "The server does not answer. What you have answered is safe; this page tries again by itself.";
      byId("offline").hidden = false;
    }, PATIENCE);
  });
  sitting.addEventListener("found", () => {
    clearTimeout(timer);
    byId("offline").hidden = true;
  });
  addEventListener("beforeunload", (event) => {
    if (sitting.busy && !byId("offline").hidden) event.preventDefault();
  });
}

/** What was filled and left out, until the person has seen enough of it; a changed table says it again. */
function showNotices({ notices, session }) {
  const seen = `${session}: ${notices.join(" ")}`;
  byId("notices").hidden = notices.length === 0 || recall("notices") === seen;
  byId("notices-summary").textContent = `About this table: ${count(notices.length, "notice")}`;
  byId("notices-list").replaceChildren(...notices.map((notice) => make("li", {}, notice)));
  byId("notices-dismiss").addEventListener("click", () => {
    remember("notices", seen);
    byId("notices").hidden = true;
  });
}
