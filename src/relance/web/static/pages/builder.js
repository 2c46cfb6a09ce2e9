// The builder where scripts run: nothing typed is lost, keys for undo and save, and fields that depend on a choice.

"use strict";

(() => {
  if (window.relanceBuilder) return; // loaded once, though the page's content is exchanged
  window.relanceBuilder = true;
  let typed = false;

  const settle = () => {
    typed = false;
    for (const choice of document.querySelectorAll("[data-shows]")) follow(choice);
  };
  const follow = (choice) => {
    for (const part of document.querySelectorAll(`[data-shown-by="${choice.dataset.shows}"]`)) part.hidden = part.dataset.shownFor !== choice.value;
  };
  document.addEventListener("input", (event) => { if (event.target.closest("form[data-keeps]")) typed = true; });
  document.addEventListener("change", (event) => { if (event.target.dataset?.shows) follow(event.target); });
  document.addEventListener("submit", () => { typed = false; });
  window.addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });

  const save = (go) => {
    const form = document.querySelector("form[data-keeps]");
    const button = form?.querySelector("#step-save, #settings-save");
    if (!form || !button) return;
    form.elements.go.value = go ?? "";
    button.click(); // htmx sends the button that was clicked, not the one that a form is submitted with
  };
  // Another step is chosen while something is typed: it is saved on the way.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#builder a[data-go]");
    if (!link || !typed) return;
    event.preventDefault();
    event.stopPropagation();
    save(link.dataset.go);
  }, true);
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey)) return;
    if (key === "s" || key === "enter") { event.preventDefault(); save(); }
    if (event.target.closest("input, textarea, select")) return;
    if (key === "z") { event.preventDefault(); document.getElementById(event.shiftKey ? "redo" : "undo")?.click(); }
    if (key === "y") { event.preventDefault(); document.getElementById("redo")?.click(); }
  });
  document.addEventListener("htmx:afterSettle", settle);
  document.addEventListener("DOMContentLoaded", settle);
  settle();
})();
