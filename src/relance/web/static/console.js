// What the console adds where a browser runs scripts; every page reads and works without it.
//
// 1. Live: one event stream a page; a fragment with hx-trigger="live:TOPIC" is fetched anew when TOPIC moved.
// 2. Times: a <time data-relative> says how long ago or ahead it is, and goes on saying so.
// 3. Keys: "/" goes to the search field, "g" and a letter to a page, "?" to the list of keys.
// 4. A form with data-submit-on-change sends itself; one with data-confirm asks first.

"use strict";

(() => {
  const stream = document.body.dataset.live;
  if (stream && "EventSource" in window) {
    const source = new EventSource(stream);
    const waiting = new Set(); // what moved while nobody looked at this tab
    const fetchAnew = () => {
      if (document.hidden) return;
      for (const topic of waiting) {
        const name = `live:${topic}`;
        for (const each of document.querySelectorAll("[hx-trigger]")) {
          const asked = each.getAttribute("hx-trigger").split(",").map((one) => one.trim());
          if (asked.includes(name) && !each.contains(document.activeElement)) window.htmx?.trigger(each, name);
        }
      }
      waiting.clear();
    };
    source.addEventListener("moved", (event) => {
      for (const topic of JSON.parse(event.data)) waiting.add(topic);
      fetchAnew();
    });
    document.addEventListener("visibilitychange", fetchAnew);
    window.addEventListener("pagehide", () => source.close());
  }

  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const skew = document.body.dataset.now ? new Date(document.body.dataset.now) - Date.now() : 0;
  const say = () => {
    if (document.body.dataset.clock === "virtual") return;
    for (const each of document.querySelectorAll("time[data-relative]")) {
      const seconds = (new Date(each.dateTime) - (Date.now() + skew)) / 1000;
      const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
      each.textContent = Math.abs(seconds) < 60 ? (seconds < 0 ? "just now" : "in a moment") : words.format(Math.round(seconds / length), unit);
    }
  };
  say();
  setInterval(say, 30000);
  document.addEventListener("htmx:afterSwap", say);

  let awaiting = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (awaiting) {
      awaiting = false;
      document.querySelector(`.side a[data-key="${CSS.escape(event.key)}"]`)?.click();
      return;
    }
    if (event.key === "g") awaiting = true;
    if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (search) { event.preventDefault(); search.focus(); }
    }
    if (event.key === "?") document.getElementById("keys")?.showModal();
  });

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-submit-on-change]");
    if (form) form.requestSubmit();
  });
  document.addEventListener("submit", (event) => {
    const asked = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
    if (asked && !window.confirm(asked)) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
    if (event.target.closest("[data-print]")) window.print();
  });
})();
