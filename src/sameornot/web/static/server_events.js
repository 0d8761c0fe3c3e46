/** Server-sent events: answers of other people, new groupings, and the state of the connection. */

const RECONNECT_DELAY = 3000;

export function subscribe(session) {
  const source = new EventSource("/api/events");
  source.addEventListener("progress", (event) => session.receive(JSON.parse(event.data)));
  source.addEventListener("open", () => session.connected());
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) {
      session.disconnected();
      return;
    }
    // The browser reconnects by itself after an interruption, but not after a refusal: find out the reason.
    session.refresh();
    setTimeout(() => subscribe(session), RECONNECT_DELAY);
  });
  // Otherwise the browser reports a lost connection when the page is closed.
  addEventListener("pagehide", () => source.close(), { once: true });
}
