/** The theme: light, dark or the system's. theme_first.js sets the initial one before the first paint. */

import { byId } from "./dom.js";
import { loadSetting, saveSetting } from "./storage.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const system = matchMedia("(prefers-color-scheme: dark)");

const choice = () => loadSetting("theme") ?? "auto";

export function startTheme(onChange) {
  const show = () => {
    const chosen = choice();
    document.documentElement.dataset.theme = chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
    byId("theme").textContent = `Theme: ${chosen}`;
    onChange();
  };
  byId("theme").addEventListener("click", () => {
    const next = NEXT[choice()];
    saveSetting("theme", next === "auto" ? null : next);
    show();
  });
  system.addEventListener("change", show);
  show();
}
