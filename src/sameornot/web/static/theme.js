/** Light, dark, or as the system says. theme_first.js sets the first one before anything is painted. */

import { byId } from "./dom.js";
import { recall, remember } from "./memory.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const system = matchMedia("(prefers-color-scheme: dark)");

const choice = () => recall("theme") ?? "auto";

export function startTheme(onChange) {
  const show = () => {
    const chosen = choice();
    document.documentElement.dataset.theme = chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
    byId("theme").textContent = `Theme: ${chosen}`;
    onChange();
  };
  byId("theme").addEventListener("click", () => {
    const next = NEXT[choice()];
    remember("theme", next === "auto" ? null : next);
    show();
  });
  system.addEventListener("change", show);
  show();
}
