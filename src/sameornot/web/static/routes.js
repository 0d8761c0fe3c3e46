/** Which view is on the screen, by the address's hash: #question, #groups, #history, #download. */

import { byId } from "./dom.js";

const VIEWS = ["question", "groups", "history", "download"];

export function currentView() {
  const named = location.hash.slice(1);
  return VIEWS.includes(named) ? named : "question";
}

/** `entering` maps a view's name to what is done when it comes up. */
export function startRoutes(entering) {
  const show = () => {
    const current = currentView();
    for (const name of VIEWS) byId(`view-${name}`).hidden = name !== current;
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.dataset.view === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.documentElement.dataset.view = current;
    entering[current]?.();
  };
  addEventListener("hashchange", show);
  show();
}

export function go(view) {
  location.hash = view;
}
