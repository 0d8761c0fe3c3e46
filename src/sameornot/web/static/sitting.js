/**
 * What one person sees now (question, progress) and the one request under way. All views listen to it:
 *
 *   opened, question, progress, busy, said, problem, clash, moved (the log or the grouping has changed),
 *   lost and found (the connection)
 */

import { Clash, Refused, Unreachable, get, post } from "./api.js";
import { recall, remember } from "./memory.js";
import { Stopwatch } from "./stopwatch.js";

// Milliseconds before an answer is sent again, and the most that this grows to.
const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
// Milliseconds between looks for a question that another person has let go of: no event tells of that.
const POLL = 10000;

export class Sitting extends EventTarget {
  state = null;
  question = null;
  progress = null;
  version = 0;
  busy = false;
  // Whether the question is on the screen: keys pressed before that were meant for another one.
  seen = false;
  #watch = new Stopwatch();
  #isLost = false;
  #poll = 0;

  /** Fetch everything; while nobody answers, try again. */
  async load() {
    try {
      this.state = await this.#insist(() => get("/api/state"));
    } catch (problem) {
      this.#report(problem);
      return;
    }
    this.#tell("opened", this.state);
    this.take(this.state);
    await this.#sendKept();
  }

  /** The question view calls this once the question has been painted. */
  painted() {
    this.seen = true;
    this.#watch.restart();
  }

  canAnswer() {
    return this.question !== null && this.seen && !this.busy;
  }

  async answer(word, pressedAt) {
    if (!this.canAnswer()) return;
    const body = { question: this.question.id, answer: word, seconds: this.#watch.seconds() };
    keep(body);
    await this.#while(word, async () =>
      this.take(await this.#insist(() => post("/api/answer", body)), pressedAt),
    );
    keep(null);
  }

  /** Do anything else that changes the session. Returns the step, or null if it was not done. */
  async act(path, body = {}) {
    if (this.busy) return null;
    let step = null;
    await this.#while(path, async () => {
      step = await post(path, body);
      this.take(step);
    });
    return step;
  }

  /** Take in what a response or an event says; `pressedAt` is when the key went down that led to it. */
  take(step, pressedAt = null) {
    this.version = Math.max(this.version, step.version);
    this.progress = step.progress;
    if (step.question !== undefined) this.#put(step.question, pressedAt);
    this.#tell("progress", this.progress);
    if (step.said) this.#tell("said", step.said);
    this.#tell("moved");
  }

  /** A question that is on the screen stays as it is: its rows do not change places while she reads. */
  #put(question, pressedAt) {
    const isShown = question !== null && question.id === this.question?.id;
    if (isShown) return;
    this.question = question;
    this.seen = false;
    clearTimeout(this.#poll);
    if (question === null && this.progress.waiting) this.#poll = setTimeout(() => this.refresh(), POLL);
    this.#tell("question", { question, pressedAt });
  }

  /** News of the others, or of a refit: never older than what is shown. */
  hear({ progress, version }) {
    if (version < this.version) return;
    this.take({ progress, version });
    if (this.question === null && !this.busy) this.refresh();
  }

  /** The line of events is open; after a break, what was missed is fetched. */
  reached() {
    const wasLost = this.#isLost;
    this.#setLost(false);
    if (wasLost && !this.busy) this.refresh();
  }

  unreached() {
    this.#setLost(true);
  }

  /** Ask for the state once. */
  async refresh() {
    try {
      const state = await get("/api/state");
      // An answer may have gone out meanwhile: what it brought is newer.
      if (!this.busy && state.version >= this.version) this.take(state);
    } catch (problem) {
      if (problem instanceof Unreachable) this.#setLost(true);
      else this.#report(problem);
    }
  }

  async #while(what, work) {
    this.busy = true;
    this.#tell("busy", what);
    let isRefused = false;
    try {
      await work();
    } catch (problem) {
      this.#report(problem);
      isRefused = problem instanceof Refused && problem.status < 500;
    } finally {
      this.busy = false;
      this.#tell("busy", null);
    }
    // A refused answer may mean that the question was settled meanwhile: show what the server holds.
    if (isRefused) await this.refresh();
  }

  /** Show what went wrong in a view of its own. */
  complain(problem) {
    this.#report(problem);
  }

  #report(problem) {
    if (problem instanceof Clash) this.#tell("clash", problem.payload);
    else if (problem instanceof Refused) this.#tell("problem", problem.message);
    else if (problem instanceof Unreachable)
      this.#tell("problem", "Nothing was changed: the server does not answer.");
    else throw problem;
  }

  /** Try until the server answers; an answer given without a connection is not lost. */
  async #insist(request) {
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const reply = await request();
        this.#setLost(false);
        return reply;
      } catch (problem) {
        if (!(problem instanceof Unreachable)) throw problem;
        this.#setLost(true);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  /** An answer that a closed page could not send, if its question is still the one that is open. */
  async #sendKept() {
    const body = kept();
    keep(null);
    if (body === null || body.question !== this.question?.id) return;
    await this.#while(body.answer, async () =>
      this.take(await this.#insist(() => post("/api/answer", body))),
    );
  }

  #setLost(isLost) {
    if (isLost !== this.#isLost) this.#tell(isLost ? "lost" : "found");
    this.#isLost = isLost;
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function keep(body) {
  remember("unsent", body && JSON.stringify(body), "sessionStorage");
}

function kept() {
  return JSON.parse(recall("unsent", "sessionStorage"));
}
