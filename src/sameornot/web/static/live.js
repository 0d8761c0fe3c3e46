/** Server-sent events: news of other people's answers and of refits, and whether the server is there. */

const AGAIN = 3000;

export function listen(sitting) {
  const source = new EventSource("/api/events");
  source.addEventListener("progress", (event) => sitting.hear(JSON.parse(event.data)));
  source.addEventListener("open", () => sitting.reached());
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) {
      sitting.unreached();
      return;
    }
    // After a broken line the browser reconnects by itself, but not after a refusal: ask what is the matter.
    sitting.refresh();
    setTimeout(() => listen(sitting), AGAIN);
  });
  // Without this the browser reports the closing of the page as a lost connection.
  addEventListener("pagehide", () => source.close(), { once: true });
}
