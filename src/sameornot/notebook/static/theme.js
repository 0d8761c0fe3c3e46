/** Whether the notebook around the widget is dark, in any frontend. */

/** What JupyterLab, VS Code, Colab and marimo say of themselves; null where nothing is said. */
function declaredTheme() {
  const [html, body] = [document.documentElement, document.body];
  const said = body.dataset.jpThemeLight;
  if (said !== undefined) return said === "false" ? "dark" : "light";
  const kind = body.dataset.vscodeThemeKind;
  if (kind !== undefined) return /dark|high-contrast$/.test(kind) ? "dark" : "light";
  const named = html.getAttribute("theme") ?? html.dataset.theme ?? body.dataset.theme;
  if (named === "dark" || named === "light") return named;
  if (html.matches(".dark") || body.matches(".dark, .dark-theme, .dark-mode")) return "dark";
  return null;
}

/** By the first background that is not transparent behind an element, also across shadow roots. */
function themeBehind(element) {
  for (let at = element.parentElement ?? element.getRootNode().host; at; at = at.parentElement ?? at.getRootNode().host) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (red !== undefined && alpha > 0.5) return 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light";
  }
  return null;
}

/** Keep the theme of an element that of the notebook; returns a function that ends it. */
export function followTheme(element, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const theme = declaredTheme() ?? themeBehind(element) ?? (system.matches ? "dark" : "light");
    if (element.dataset.theme === theme) return;
    element.dataset.theme = theme;
    changed();
  };
  const observer = new MutationObserver(apply);
  for (const part of [document.documentElement, document.body]) observer.observe(part, { attributes: true });
  system.addEventListener("change", apply);
  requestAnimationFrame(apply); // once the element is in the notebook
  return () => {
    observer.disconnect();
    system.removeEventListener("change", apply);
  };
}
