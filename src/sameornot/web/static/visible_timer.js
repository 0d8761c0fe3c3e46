/** A timer that stops while the tab is hidden. */

export class VisibleTimer {
  #spent = 0;
  #since = null;

  constructor() {
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#pause() : this.#resume()));
  }

  restart() {
    this.#spent = 0;
    this.#since = performance.now();
  }

  seconds() {
    const running = this.#since === null ? 0 : performance.now() - this.#since;
    return Math.round((this.#spent + running) / 10) / 100;
  }

  #pause() {
    if (this.#since === null) return;
    this.#spent += performance.now() - this.#since;
    this.#since = null;
  }

  #resume() {
    this.#since ??= performance.now();
  }
}
