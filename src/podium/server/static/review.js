// One judgment with its documents in view, shown as assessors saw them; ← and → go to the newer and the older one.

import { send } from "./api.js";
import { Pane } from "./documents.js";

const place = document.querySelector("[data-judgment]");

async function show() {
  const boxes = [...place.querySelectorAll("[data-side]")];
  try {
    const judgment = await send("GET", place.dataset.judgment);
    for (const box of boxes) {
      box.replaceChildren();
      new Pane(box).show(judgment[box.dataset.side], judgment);
    }
  } catch (error) {
    for (const box of boxes) box.textContent = error.message;
  }
}

// The same key sent twice is one correction.
for (const field of document.querySelectorAll("[data-random]")) field.value = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, dialog, [data-side]")) return;
  document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)?.click();
});

show();
