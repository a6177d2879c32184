// Models that are judging: what they do is asked for every three seconds while the page is looked at. And a trial of one that is not yet there.

import { send } from "./api.js";
import { valuesOf } from "./forms.js";

const EVERY = 3000; // milliseconds

async function look(row) {
  const run = await send("GET", row.dataset.model);
  if (run.state !== row.dataset.state) {
    location.reload(); // other buttons belong to another state
    return;
  }
  const tokens = run.spent.tokens_in + run.spent.tokens_out;
  row.querySelector('[data-field="message"]').textContent = run.message;
  row.querySelector('[data-field="spent"]').textContent = `${run.spent.requests} requests, ${tokens.toLocaleString("en")} tokens`;
}

const rows = [...document.querySelectorAll("[data-model]")];
if (rows.length) {
  setInterval(() => {
    if (!document.hidden) for (const row of rows) look(row).catch(() => {});
  }, EVERY);
}

// Ask a model one tiny question with the settings as they stand in the form.
async function tryOut(button) {
  const { form } = button;
  const told = form.querySelector("[data-tried]");
  const needed = ["settings.model", "settings.base_url", "settings.key_variable"].map((name) => form.elements.namedItem(name));
  if (!needed.every((field) => field.reportValidity())) return;
  button.disabled = true;
  told.textContent = "Asking…";
  try {
    told.textContent = (await send("POST", button.dataset.try, { settings: valuesOf(form).settings })).message;
  } catch (error) {
    told.textContent = error.message;
  }
  button.disabled = false;
}

for (const button of document.querySelectorAll("[data-try]")) button.addEventListener("click", () => tryOut(button));
