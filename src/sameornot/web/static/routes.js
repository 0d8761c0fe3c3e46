/** The current view, by the hash of the address: #question, #groups, #history, #people or #download. */

import { byId } from "./dom.js";

const VIEWS = ["question", "groups", "history", "people", "download"];

export function currentView() {
  const named = location.hash.slice(1);
  return VIEWS.includes(named) ? named : "question";
}

/** `onEnter` maps the name of a view to a function that runs when it is shown. */
export function startRoutes(onEnter) {
  const show = () => {
    const current = currentView();
    for (const name of VIEWS) byId(`view-${name}`).hidden = name !== current;
    for (const link of document.querySelectorAll(".tabs a")) {
      if (link.dataset.view === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.documentElement.dataset.view = current;
    onEnter[current]?.();
  };
  addEventListener("hashchange", show);
  show();
}

export function go(view) {
  location.hash = view;
}
