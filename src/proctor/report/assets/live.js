
"use strict";
/* What every page has: its theme, and, where it is served, whether there is more by now. */
(() => {
  const button = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  const kept = () => { try { return localStorage.getItem("proctor-theme"); } catch { return null; } };
  const put = (theme) => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    button.querySelector("span").textContent = theme;
    try { localStorage.setItem("proctor-theme", theme); } catch { /* a page may have no memory */ }
  };
  put(themes.includes(kept()) ? kept() : "auto");
  button.hidden = false;
  button.addEventListener("click", () => put(themes[(themes.indexOf(button.querySelector("span").textContent) + 1) % 3]));

  const stamp = document.body.dataset.live;
  if (!stamp) return;
  const busy = () => document.querySelector("dialog[open]") || /^(INPUT|SELECT)$/.test(document.activeElement?.tagName ?? "");
  const again = () => {
    const more = document.getElementById("more");
    if (!more || !busy()) { location.reload(); return; }
    const reload = document.createElement("button");
    reload.type = "button";
    reload.textContent = "Show";
    reload.addEventListener("click", () => location.reload());
    more.replaceChildren("There are new results. ", reload);
    more.hidden = false;
  };
  let seen = null;
  const ask = async () => {
    try {
      const reply = await fetch(stamp, { cache: "no-store" });
      const said = reply.ok ? await reply.text() : seen;
      if (seen !== null && said !== seen) { again(); return; }
      seen = said;
    } catch { /* the server is gone; what was shown stays true */ }
    setTimeout(ask, 2000);
  };
  ask();
})();
