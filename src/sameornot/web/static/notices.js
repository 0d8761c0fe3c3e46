/** Messages: what was done, errors, the state of the connection, and notices about the table. */

import { byId, make } from "./dom.js";
import { loadSetting, saveSetting } from "./storage.js";
import { count } from "./format.js";

// Milliseconds that a message is shown, and after which a lost connection is reported.
const MESSAGE_TIME = 4500;
const DISCONNECTED_DELAY = 1200;

export function startNotices(session) {
  session.addEventListener("opened", ({ detail }) => showNotices(detail));
  session.addEventListener("said", ({ detail }) => say(detail));
  session.addEventListener("error", ({ detail }) => showError(detail));
  session.addEventListener("question", () => {
    byId("error").hidden = true;
    byId("said").textContent = "";
  });
  byId("error-close").addEventListener("click", () => (byId("error").hidden = true));
  watchConnection(session);
}

let messageTimer = 0;

/** Show a sentence for a while; screen readers read it aloud. */
export function say(sentence) {
  byId("said").textContent = sentence;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (byId("said").textContent = ""), MESSAGE_TIME);
}

function showError(sentence) {
  byId("error-sentence").textContent = sentence;
  byId("error").hidden = false;
}

function watchConnection(session) {
  let timer = 0;
  session.addEventListener("disconnected", () => {
    timer = setTimeout(() => {
      byId("offline").textContent = session.busy
        ? "The server does not answer. Your answer is kept here and is sent as soon as it does."
        : "The server does not answer. What you have answered is safe; this page tries again by itself.";
      byId("offline").hidden = false;
    }, DISCONNECTED_DELAY);
  });
  session.addEventListener("connected", () => {
    clearTimeout(timer);
    byId("offline").hidden = true;
  });
  addEventListener("beforeunload", (event) => {
    if (session.busy && !byId("offline").hidden) event.preventDefault();
  });
}

/** Show how the table was read, unless these notices have been dismissed. */
function showNotices({ notices, session, annotator }) {
  byId("sent-to").textContent = annotator ?? "";
  byId("sent-to").hidden = !annotator;
  const seen = `${session}: ${notices.join(" ")}`;
  byId("notices").hidden = notices.length === 0 || loadSetting("notices") === seen;
  byId("notices-summary").textContent = `About this table: ${count(notices.length, "notice")}`;
  byId("notices-list").replaceChildren(...notices.map((notice) => make("li", {}, notice)));
  byId("notices-dismiss").addEventListener("click", () => {
    saveSetting("notices", seen);
    byId("notices").hidden = true;
  });
}
