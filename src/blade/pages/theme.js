// Light or dark, as the reader chose; the system's choice until then.
(() => {
  "use strict";
  const root = document.documentElement;
  const key = "blade-theme";
  const store = (() => { try { return window.localStorage; } catch { return null; } })();
  const kept = store && store.getItem(key);
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const dark = () => root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    const tell = () => { button.textContent = dark() ? "Light" : "Dark"; };
    button.hidden = false;
    tell();
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      if (store) store.setItem(key, root.dataset.theme);
      tell();
    });
  });
})();
