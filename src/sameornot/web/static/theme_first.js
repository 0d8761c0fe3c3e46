// Runs before the first paint, so that a dark page does not flash white. The rest is in theme.js.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  let choice = null;
  try {
    choice = localStorage.getItem("sameornot-theme");
  } catch {
    // If the browser forbids storage, the system's theme is used.
  }
  document.documentElement.dataset.theme = choice ?? (dark ? "dark" : "light");
})();
