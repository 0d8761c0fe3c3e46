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

/**
 * Whether messages arrive. A proxy that buffers them keeps the first one back, and may hand on each one only when
 * the next one comes: once the first is late, the server is asked as well for as long as the stream lasts.
 */
class Watch {
  #session;
  #first = 0;
  #poll = 0;

  constructor(session) {
    this.#session = session;
    this.restart();
  }

  arrived() {
    clearTimeout(this.#first);
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
    // The banner about the connection says more.
    byId("no-events").hidden = !byId("offline").hidden;
    this.#poll = setInterval(() => {
      if (!this.#session.busy) this.#session.refresh();
    }, POLL);
  }
}
