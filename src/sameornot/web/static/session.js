/**
 * The labelling session of one person: the current question and progress, and the one request under way.
 * Views listen to its events:
 *
 *   opened, question, progress, busy, said, error, conflict,
 *   changed (the answers or the groups have changed), disconnected and connected
 */

import { Conflict, Refused, Unreachable, get, post } from "./api.js";
import { loadSetting, saveSetting } from "./storage.js";
import { VisibleTimer } from "./visible_timer.js";

// Milliseconds before an unanswered request is sent again, and the most that this grows to.
const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
// Milliseconds between checks for a question that another person has released: no event reports that.
const POLL = 10000;

export class Session extends EventTarget {
  state = null;
  question = null;
  progress = null;
  version = 0;
  busy = false;
  // Whether the question has been painted: keys pressed before were meant for the previous one.
  isPainted = false;
  #timer = new VisibleTimer();
  #isDisconnected = false;
  #poll = 0;

  /** Load the whole state; retry until the server answers. */
  async load() {
    try {
      this.state = await this.#retry(() => get("api/state"));
    } catch (error) {
      this.reportError(error);
      return;
    }
    this.#emit("opened", this.state);
    this.update(this.state);
    await this.#sendUnsent();
  }

  /** Called by the question view once the question has been painted. */
  painted() {
    this.isPainted = true;
    this.#timer.restart();
  }

  canAnswer() {
    return this.question !== null && this.isPainted && !this.busy;
  }

  async answer(answer, pressedAt) {
    if (!this.canAnswer()) return;
    const body = { question: this.question.id, answer, seconds: this.#timer.seconds() };
    await this.#send({ path: "api/answer", body }, answer, pressedAt);
  }

  /** Answer a choice: "same" as the candidate in a row, "different" from all of them, or "unsure". */
  async choose(answer, candidate, pressedAt) {
    if (!this.canAnswer()) return;
    const body = { question: this.question.id, answer, candidate, seconds: this.#timer.seconds() };
    await this.#send({ path: "api/choose", body }, candidate ?? answer, pressedAt);
  }

  /** Send an answer; `what` says which button it is. */
  async #send({ path, body }, what, pressedAt) {
    saveUnsent({ path, body });
    await this.#run(what, async () => this.update(await this.#retry(() => post(path, body)), pressedAt));
    saveUnsent(null);
  }

  /** Run another command. Returns the new state, or null if it was refused. */
  async act(path, body = {}) {
    if (this.busy) return null;
    let step = null;
    await this.#run(path, async () => {
      step = await post(path, body);
      this.update(step);
    });
    return step;
  }

  /** Apply a response or an event; `pressedAt` is the time of the key press that led to it. */
  update(step, pressedAt = null) {
    this.version = Math.max(this.version, step.version);
    this.progress = step.progress;
    if (step.question !== undefined) this.#setQuestion(step.question, pressedAt);
    this.#emit("progress", this.progress);
    if (step.said) this.#emit("said", step.said);
    this.#emit("changed");
  }

  /** The question on the screen is not redrawn: its rows must not move while somebody reads them. */
  #setQuestion(question, pressedAt) {
    const isShown = question !== null && question.id === this.question?.id;
    if (isShown) return;
    this.question = question;
    this.isPainted = false;
    clearTimeout(this.#poll);
    if (question === null && this.progress.waiting) this.#poll = setTimeout(() => this.refresh(), POLL);
    this.#emit("question", { question, pressedAt });
  }

  /** Apply a server event, unless what is shown is newer. */
  receive({ progress, version }) {
    if (version < this.version) return;
    this.update({ progress, version });
    if (this.question === null && !this.busy) this.refresh();
  }

  /** The event stream is open; after an interruption, load what was missed. */
  connected() {
    const wasDisconnected = this.#isDisconnected;
    this.#setDisconnected(false);
    if (wasDisconnected && !this.busy) this.refresh();
  }

  disconnected() {
    this.#setDisconnected(true);
  }

  /** Load the state once, without retrying. */
  async refresh() {
    try {
      const state = await get("api/state");
      // If an answer was sent meanwhile, its response is newer.
      if (!this.busy && state.version >= this.version) this.update(state);
    } catch (error) {
      if (error instanceof Unreachable) this.#setDisconnected(true);
      else this.reportError(error);
    }
  }

  /** Do `work` while the session is busy with `what`. */
  async #run(what, work) {
    this.busy = true;
    this.#emit("busy", what);
    let isRefused = false;
    try {
      await work();
    } catch (error) {
      this.reportError(error);
      isRefused = error instanceof Refused && error.status < 500;
    } finally {
      this.busy = false;
      this.#emit("busy", null);
    }
    // An answer may be refused because the question was settled meanwhile: show the server's state.
    if (isRefused) await this.refresh();
  }

  /** Show an error of the server; any other error is a bug and is thrown. */
  reportError(error) {
    if (error instanceof Conflict) this.#emit("conflict", error.payload);
    else if (error instanceof Refused) this.#emit("error", error.message);
    else if (error instanceof Unreachable)
      this.#emit("error", "Nothing was changed: the server does not answer.");
    else throw error;
  }

  /** Repeat a request until the server answers, so that no answer is lost without a connection. */
  async #retry(request) {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const reply = await request();
        this.#setDisconnected(false);
        return reply;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        this.#setDisconnected(true);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  /** Send an answer that a closed page could not send, if its question is still open. */
  async #sendUnsent() {
    const unsent = loadUnsent();
    saveUnsent(null);
    if (unsent === null || unsent.body.question !== this.question?.id) return;
    await this.#send(unsent, unsent.body.candidate ?? unsent.body.answer, null);
  }

  #setDisconnected(isDisconnected) {
    if (isDisconnected !== this.#isDisconnected) this.#emit(isDisconnected ? "disconnected" : "connected");
    this.#isDisconnected = isDisconnected;
  }

  #emit(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function saveUnsent(request) {
  saveSetting("unsent", request && JSON.stringify(request), "sessionStorage");
}

function loadUnsent() {
  return JSON.parse(loadSetting("unsent", "sessionStorage"));
}
