/** Elements from plain values. Text goes in as text nodes only, so a cell can never become markup. */

export const byId = (id) => document.getElementById(id);

/**
 * Make an element. `on` holds listeners; other options are attributes (true: empty, false or null: none).
 * Children are nodes or strings; null is skipped.
 */
export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(label, onClick, options = {}) {
  return make("button", { type: "button", on: { click: onClick }, ...options }, label);
}

/** Text for screen readers only. */
export function unseen(text) {
  return make("span", { class: "unseen" }, text);
}

/** The head of a table; a column without a title holds buttons. */
export function tableHead(titles) {
  const cells = titles.map((title) => make("th", { scope: "col" }, title === "" ? unseen("Actions") : title));
  return make("thead", {}, make("tr", {}, ...cells));
}

/** A bar that is filled up to `share` (0..1); its class says how it looks. */
export function bar(share, options = {}) {
  const element = make("span", { "aria-hidden": "true", ...options });
  element.style.setProperty("--share", `${Math.max(0, Math.min(1, share)) * 100}%`);
  return element;
}

/** Draw again without losing the place: the focus goes back to the element with the same `data-focus`. */
export function redraw(root, ...children) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const top = root.scrollTop;
  root.replaceChildren(...children);
  root.scrollTop = top;
  if (key !== undefined) {
    [...root.querySelectorAll("[data-focus]")].find((element) => element.dataset.focus === key)?.focus();
  }
}

/** Call back once what was drawn is on the screen: the task that is queued in a frame follows its paint. */
export function afterPaint(callback) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => callback(performance.now());
    channel.port2.postMessage(null);
  });
}

/** Run at most once in `pause` milliseconds, the last call winning. */
export function debounced(action, pause) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, pause);
  };
}
