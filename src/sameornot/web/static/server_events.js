/** Server-sent events: answers of other people, new groupings, and the state of the connection. */

import { byId } from "./dom.js";

const RECONNECT_DELAY = 3000;
// Milliseconds in which the first message has to arrive, and between looks at the server if none does.
const FIRST_MESSAGE = 8000;
const POLL = 5000;

export function subscribe(session) {
  const source = new EventSource("api/events");
  const watch = new Watch(session);
  source.addEventListener("progress", (event) => {
    watch.arrived();
    session.receive(JSON.parse(event.data));
  });
  source.addEventListener("open", () => session.connected());
  source.addEventListener("error", () => {
    watch.restart();
    if (source.readyState !== EventSource.CLOSED) {
      session.disconnected();
      return;
    }
    // The browser reconnects by itself after an interruption, but not after a refusal: find out the reason.
    watch.stop();
    session.refresh();
    setTimeout(() => subscribe(session), RECONNECT_DELAY);
  });
  // Otherwise the browser reports a lost connection when the page is closed.
  addEventListener("pagehide", () => source.close(), { once: true });
}

/** Whether messages arrive: a proxy that buffers them keeps them back, and the server is asked instead. */
class Watch {
  #session;
  #first = 0;
  #poll = 0;

  constructor(session) {
    this.#session = session;
    this.restart();
  }

  arrived() {
    this.stop();
    byId("no-events").hidden = true;
  }

  restart() {
    this.stop();
    this.#first = setTimeout(() => this.#missing(), FIRST_MESSAGE);
  }

  stop() {
    clearTimeout(this.#first);
    clearInterval(this.#poll);
  }

  #missing() {
    byId("no-events").hidden = !byId("offline").hidden;
    this.#poll = setInterval(() => {
      byId("no-events").hidden = !byId("offline").hidden;
      if (!this.#session.busy) this.#session.refresh();
    }, POLL);
  }
}
