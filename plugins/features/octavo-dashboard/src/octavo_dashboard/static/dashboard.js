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

// Live regions: the server says that something changed, and the page asks for its own content again.
function refresh() {
  return fetch(location.href, { headers: { accept: "text/html" } })
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText))))
    .then((text) => {
      const fresh = new DOMParser().parseFromString(text, "text/html");
      for (const region of document.querySelectorAll("[data-live]")) {
        const now = fresh.querySelector(`[data-live="${CSS.escape(region.dataset.live)}"]`);
        if (now && now.innerHTML !== region.innerHTML && !region.contains(document.activeElement)) region.replaceWith(now);
      }
    })
    .catch(() => {}); // the next event tries again
}

if (document.querySelector("[data-live]")) {
  let wanted = false;
  let busy = false;
  const again = () => {
    wanted = true;
    if (busy) return;
    busy = true;
    wanted = false;
    refresh().finally(() => setTimeout(() => { busy = false; if (wanted) again(); }, 1000));
  };
  const source = new EventSource("/events");
  source.addEventListener("change", again);
  addEventListener("pagehide", () => source.close());
}

// Upload by drag and drop, with its progress. Without this file the form is sent as it is.
const drop = document.querySelector("[data-drop]");
if (drop) {
  const said = drop.querySelector("[data-progress]");
  const send = (files) => {
    if (!files.length) return;
    const form = new FormData();
    form.append("csrf", drop.elements.csrf.value);
    for (const file of files) form.append("files", file);
    const request = new XMLHttpRequest();
    request.open("POST", "/upload");
    request.setRequestHeader("accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) said.textContent = `${Math.round((100 * event.loaded) / event.total)} % uploaded`;
    });
    request.addEventListener("load", () => {
      if (request.status === 202) { location.href = "/activity"; return; }
      let problem = {};
      try { problem = JSON.parse(request.responseText); } catch { /* not JSON */ }
      said.textContent = `${problem.title || "The upload failed"}. ${problem.remedy || ""}`;
    });
    request.addEventListener("error", () => { said.textContent = "The server cannot be reached, or the upload is too large."; });
    request.send(form);
  };
  drop.addEventListener("submit", (event) => { event.preventDefault(); send(drop.elements.files.files); });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    drop.classList.remove("over");
    send(event.dataTransfer.files);
  });
}

// A selection in the text of a page becomes the range of a new annotation, counted in code points as locators are.
const annotate = document.querySelector("[data-annotate]");
const read = document.getElementById("text");
if (annotate && read) {
  document.addEventListener("selectionchange", () => {
    const chosen = getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed) return;
    const range = chosen.getRangeAt(0);
    if (!read.contains(range.startContainer) || !read.contains(range.endContainer)) return;
    const before = document.createRange();
    before.selectNodeContents(read);
    before.setEnd(range.startContainer, range.startOffset);
    const start = Number(read.dataset.part) + [...before.toString()].length;
    annotate.elements.char.value = `${start}-${start + [...range.toString()].length}`;
    if (annotate.elements.kind.value === "bookmark") annotate.elements.kind.value = "highlight";
  });
}
