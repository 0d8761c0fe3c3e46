/** Create elements. Text becomes text nodes only, so a cell can never become markup. */

export const byId = (id) => document.getElementById(id);

/**
 * Create an element. `on` holds event listeners; other options are attributes (true: empty; false, null or
 * undefined: none). Children are nodes or strings; null is skipped.
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

/** A table head; a column with an empty title holds buttons. */
export function tableHead(titles) {
  const cells = titles.map((title) => make("th", { scope: "col" }, title === "" ? unseen("Actions") : title));
  return make("thead", {}, make("tr", {}, ...cells));
}

/** A bar filled to `share` (0 to 1); its class defines its look. */
export function bar(share, options = {}) {
  const element = make("span", { "aria-hidden": "true", ...options });
  element.style.setProperty("--share", `${Math.max(0, Math.min(1, share)) * 100}%`);
  return element;
}

/** Replace the children, but keep scroll position and focus (by `data-focus`). */
export function redraw(root, ...children) {
  const key = root.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const top = root.scrollTop;
  root.replaceChildren(...children);
  root.scrollTop = top;
  if (key !== undefined) focusOn(root, key);
}

/** Focus the element whose `data-focus` is `key`. */
export function focusOn(root, key) {
  [...root.querySelectorAll("[data-focus]")].find((element) => element.dataset.focus === key)?.focus();
}

/** Open a modal dialog; the focus returns to its opener, also if that is redrawn meanwhile. */
export function openDialog(dialog) {
  const opener = document.activeElement;
  const restoreFocus = () => {
    if (!opener.isConnected) focusOn(document, opener.dataset.focus);
  };
  dialog.addEventListener("close", restoreFocus, { once: true });
  dialog.showModal();
}

/** Call back after the next paint: a task that is queued during an animation frame runs after it. */
export function afterPaint(callback) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => callback(performance.now());
    channel.port2.postMessage(null);
  });
}

/** Run `action` once there has been no further call for `pause` milliseconds. */
export function debounced(action, pause) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, pause);
  };
}
