
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

  const { live: stamp, swap } = document.body.dataset;
  if (!stamp) return;
  const PAUSE = 2000;
  /* Somebody is on the way to another page: a reload would call them back. They may think better of it, hence a limit. */
  let left = -Infinity;
  addEventListener("beforeunload", () => { left = performance.now(); });
  addEventListener("pageshow", () => { left = -Infinity; });
  const leaving = () => performance.now() - left < 60000;

  const busy = () => document.querySelector("dialog[open]") || /^(INPUT|SELECT)$/.test(document.activeElement?.tagName ?? "");
  const offer = () => {
    const more = document.getElementById("more");
    const reload = document.createElement("button");
    reload.type = "button";
    reload.textContent = "Show";
    reload.addEventListener("click", () => location.reload());
    more.replaceChildren("There are new results. ", reload);
    more.hidden = false;
  };
  /* A part of the page, taken from the page as it is by now: no link goes away under a hand. */
  const swapped = () => new Promise((done) => {
    const asked = new XMLHttpRequest();
    asked.responseType = "document";
    asked.onloadend = () => {
      const fresh = asked.response?.getElementById(swap);
      const old = document.getElementById(swap);
      const focus = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      if (fresh) old.replaceWith(document.adoptNode(fresh));
      if (fresh && focus !== null) [...fresh.querySelectorAll("a")].find((link) => link.getAttribute("href") === focus)?.focus();
      done();
    };
    asked.open("GET", location.href);
    asked.send();
  });
  const going = document.getElementById("going");
  const since = () => {
    if (!going) return;
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(going.dataset.grown)));
    const told = seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
    going.classList.toggle("live", seconds < 120);
    document.getElementById("age").textContent = seconds < 120 ? `The run goes on; it last wrote something down ${told} ago.`
      : `Nothing was written down for ${told}: if it was stopped, the same command goes on with it.`;
  };
  let seen = null;
  const ask = async () => {
    let fresh = seen;
    try {
      const reply = await fetch(stamp, { cache: "no-store" });
      if (reply.ok) fresh = await reply.text();
    } catch { /* the server is gone; what was shown stays true */ }
    const changed = seen !== null && fresh !== seen && !leaving();
    if (changed && swap) await swapped();
    else if (changed && busy()) { offer(); return; }
    else if (changed) { location.reload(); return; }
    if (!leaving()) seen = fresh;
    since();
    setTimeout(ask, PAUSE);
  };
  ask();
})();
