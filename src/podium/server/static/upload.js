// Files to label: chosen, or dropped as files or folders. A new project is made first, then its files are sent to it.

import { send, toastAfterwards } from "./api.js";
import { clearError, goTo, setBusy, showError, valuesOf } from "./forms.js";

const form = document.querySelector("form[data-upload]");
const chosen = new Map(); // path -> File
let project = form.dataset.project || null; // its number, once it is there

const list = form.querySelector("[data-files]");
const status = form.querySelector("[data-status]");
const area = form.querySelector(".drop");

function add(path, file) {
  chosen.set(path, file);
}

function size(bytes) {
  return bytes < 1024 ? `${bytes} bytes` : bytes < 1 << 20 ? `${(bytes / 1024).toFixed(0)} kB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

function show() {
  list.replaceChildren(...[...chosen].slice(0, 20).map(([path, file]) => {
    const row = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = path;
    const about = document.createElement("span");
    about.className = "soft small nowrap";
    about.textContent = size(file.size);
    row.append(name, about);
    return row;
  }));
  const total = [...chosen.values()].reduce((sum, file) => sum + file.size, 0);
  const many = chosen.size === 1 ? "1 file" : `${chosen.size} files`;
  status.textContent = chosen.size ? `${many} chosen, ${size(total)}.` : "Nothing chosen.";
  form.querySelector("[data-clear]").hidden = chosen.size === 0;
}

for (const input of form.querySelectorAll("[data-picks]")) {
  input.addEventListener("change", () => {
    for (const file of input.files) add(file.webkitRelativePath || file.name, file);
    input.value = "";
    show();
  });
}
for (const button of form.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => document.getElementById(button.dataset.opens).click());
}
form.querySelector("[data-clear]").addEventListener("click", () => {
  chosen.clear();
  show();
});

// A dropped folder is read entry by entry; readEntries gives at most a hundred at a time.
async function take(entry, path) {
  if (entry.isFile) {
    add(path, await new Promise((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return;
    for (const inner of entries) await take(inner, `${path}/${inner.name}`);
  }
}

for (const kind of ["dragenter", "dragover"]) {
  area.addEventListener(kind, (event) => {
    event.preventDefault();
    area.classList.add("is-over");
  });
}
area.addEventListener("dragleave", () => area.classList.remove("is-over"));
area.addEventListener("drop", async (event) => {
  event.preventDefault();
  area.classList.remove("is-over");
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  for (const entry of entries) await take(entry, entry.name);
  show();
});

function parcel() {
  const data = new FormData();
  for (const [path, file] of chosen) data.append("files", file, path);
  for (const element of form.querySelectorAll("[data-upload-field]")) {
    if (element.matches(":disabled")) continue;
    if (element.type === "file") for (const file of element.files) data.append(element.dataset.uploadField, file, file.name);
    else if (element.value.trim()) data.append(element.dataset.uploadField, element.value.trim());
  }
  return data;
}

async function makeProject() {
  const values = valuesOf(form);
  if (project === null) project = String((await send("POST", "/api/v1/projects", values)).number);
  else await send("PATCH", `/api/v1/projects/${project}`, { name: values.name, settings: values.settings }); // made before, but its files were refused
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  clearError(form);
  if (form.dataset.project && chosen.size === 0) {
    showError(form, "Choose one file or more, or a folder.");
    return;
  }
  setBusy(form, true);
  try {
    if (!form.dataset.project) await makeProject();
    let said = "The project is made. Add what is to be labelled next.";
    if (chosen.size) {
      status.textContent = "Sending and reading the files…";
      const { added } = await send("POST", `/api/v1/projects/${project}/files`, parcel());
      said = added === 1 ? "1 query was added." : `${added} queries were added.`;
    }
    toastAfterwards(said);
    goTo(chosen.size && !form.dataset.project ? `/projects/${project}` : `/projects/${project}/queries`);
  } catch (error) {
    setBusy(form, false);
    show();
    showError(form, error.message);
  }
});

// A study's sizes are looked at while they are typed.
const plan = form.querySelector("[data-plan]");
if (plan) {
  let latest = 0;
  const check = async () => {
    const { study } = valuesOf(form).settings;
    if (!study) return;
    const mine = ++latest;
    try {
      const answer = await send("GET", `/projects/new/check?${new URLSearchParams(study)}`);
      if (mine !== latest) return;
      plan.textContent = answer.text;
      plan.classList.toggle("notice-bad", !answer.is_possible);
      plan.classList.toggle("notice-good", answer.is_possible);
    } catch (error) {
      plan.textContent = error.message;
    }
  };
  for (const kind of ["input", "change"]) document.addEventListener(kind, check); // after forms.js has shown and hidden parts
  check();
}
