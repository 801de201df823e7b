// Enhancements only: every page works without this file.
"use strict";

// Keys: "/" focuses the search field, "n" and "p" follow the links to the next and the previous page.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("input")) target.focus();
  else target.click();
});

// A filter applies as soon as it is chosen.
for (const select of document.querySelectorAll(".filters select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

const marked = document.getElementById("marked");
if (marked) marked.scrollIntoView({ block: "center" });
