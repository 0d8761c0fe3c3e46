// Needs no other script: it says so at once if one of the page's scripts or styles cannot be loaded.
(() => {
  const report = () => {
    const stuck = document.getElementById("stuck");
    stuck.dataset.now = "true";
    stuck.hidden = false;
  };
  const check = ({ target }) => {
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", report);
    else report();
  };
  addEventListener("error", check, true); // errors of loading do not bubble
})();
