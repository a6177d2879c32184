// Forms that are sent as JSON: <form data-api="POST /api/v1/…" data-then="reload | show | stay | to | /path/{number}">.
//
// data-said       what is told when it worked
// data-confirm    a question to be answered first, in a dialog; data-confirm-text explains, data-confirm-button names the act
// data-when       on any part of a form, "name=value|value": there only while that field has one of these values
//
// <form data-download action="…"> gets a file instead.
//
// Fields: dots in names make nested objects; numbers, checkboxes and data-type="number|boolean|list|lines" give values of these types; what is
// empty is left out, unless it has data-empty, which says what stands for it (as JSON); data-local ones steer the page and are not sent.

import { download, send, toast, toastAfterwards } from "./api.js";

export function valuesOf(form) {
  const values = {};
  for (const element of form.elements) {
    if (!element.name || element.matches(":disabled, [type=file], [data-local], button")) continue;
    if (element.type === "radio" && !element.checked) continue;
    if (element.type === "checkbox" && element.dataset.type === "list") {
      put(values, element.name, (earlier = []) => (element.checked ? [...earlier, element.value] : earlier));
      continue;
    }
    const value = valueOf(element);
    if (value !== undefined) put(values, element.name, () => value);
  }
  return values;
}

function valueOf(element) {
  if (element.type === "checkbox") return element.checked;
  const text = element.dataset.type === "lines" || element.tagName === "TEXTAREA" ? element.value : element.value.trim();
  if (text.trim() === "") return element.dataset.empty === undefined ? undefined : JSON.parse(element.dataset.empty);
  if (element.type === "number" || element.dataset.type === "number") return Number(text);
  if (element.dataset.type === "boolean") return text === "true";
  if (element.dataset.type === "list") return text.split(",").map((part) => part.trim()).filter(Boolean);
  if (element.dataset.type === "lines") return text.split("\n").map((line) => line.trim()).filter(Boolean);
  return text;
}

function put(values, name, change) {
  const parts = name.split(".");
  const last = parts.pop();
  let place = values;
  for (const part of parts) place = place[part] ??= {};
  place[last] = change(place[last]);
}

// What went wrong stands in the form, above its buttons, and gets the focus.
export function showError(form, message) {
  let box = form.querySelector(":scope .form-error");
  if (!box) {
    box = document.createElement("p");
    box.className = "form-error";
    box.tabIndex = -1;
    box.setAttribute("role", "alert");
    const buttons = form.querySelector(":scope > .actions, :scope > .form-actions");
    if (buttons) buttons.before(box);
    else form.append(box);
  }
  box.textContent = message;
  box.focus();
}

export function clearError(form) {
  form.querySelector(":scope .form-error")?.remove();
}

function made(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

// Show something in a dialog; gives what it was closed with. Escape closes it with nothing, and the focus goes back to where it was.
function ask(title, parts, buttons) {
  const heading = made("h2", { id: "dialog-heading" }, title);
  const row = made("form", { method: "dialog", class: "actions" }, ...buttons);
  const dialog = made("dialog", { "aria-labelledby": heading.id }, heading, ...parts, row);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

// Links and tokens come once: shown where they can be copied, until they are put away.
function showOnce(secret, about) {
  const field = made("input", { readonly: "", value: secret, "aria-label": "What to copy", autofocus: "" });
  const copy = made("button", { type: "button", class: "button" }, "Copy");
  const told = made("p", { class: "help", role: "status" });
  field.addEventListener("focus", () => field.select());
  copy.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(secret);
      told.textContent = "Copied.";
    } catch {
      told.textContent = "The browser does not let pages copy here: the text is selected, copy it by hand.";
    }
  });
  const row = made("div", { class: "once-row" }, field, copy);
  return ask(about, [row, told], [made("button", { class: "button button-main" }, "Done")]);
}

async function confirmed({ confirm, confirmText = "", confirmButton = "Yes" }) {
  const no = made("button", { class: "button", value: "" }, "Cancel");
  const yes = made("button", { class: "button button-main", value: "yes" }, confirmButton);
  return (await ask(confirm, [made("p", {}, confirmText)], [no, yes])) === "yes";
}

export function setBusy(form, isBusy) {
  form.setAttribute("aria-busy", String(isBusy));
  for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = isBusy;
}

async function submit(form, submitter) {
  if (form.dataset.confirm && !(await confirmed(form.dataset))) return;
  clearError(form);
  const [method, path] = form.dataset.api.split(" ");
  const values = valuesOf(form);
  if (submitter?.name) values[submitter.name] = submitter.value;
  setBusy(form, true);
  try {
    const answer = await send(method, path, method === "DELETE" || method === "GET" ? undefined : values);
    setBusy(form, false);
    goOn(form, answer);
  } catch (error) {
    setBusy(form, false);
    showError(form, error.message);
  }
}

async function fetchFile(form) {
  clearError(form);
  setBusy(form, true);
  try {
    await download(`${form.getAttribute("action")}?${new URLSearchParams(valuesOf(form))}`);
  } catch (error) {
    showError(form, error.message);
  }
  setBusy(form, false);
}

// Only to places of this site, whatever the answer says.
export function goTo(path) {
  location.assign(/^\/(?![/\\])/.test(path) ? path : "/");
}

function goOn(form, answer) {
  const { then = "reload", said = "" } = form.dataset;
  if (then === "show") {
    showOnce(answer.link ?? answer.token ?? "", said).then(() => location.reload()); // lists have one more now
  } else if (then === "stay") {
    toast(said);
  } else {
    toastAfterwards(said);
    if (then === "reload") location.reload();
    else goTo(then === "to" ? answer.to : then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(answer?.[name] ?? "")));
  }
}

// Parts that are there only while a field has a certain value.
function showParts(form) {
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, wanted] = part.dataset.when.split("=");
    const field = form.elements.namedItem(name);
    const now = field instanceof Element && field.type === "checkbox" ? String(field.checked) : (field?.value ?? "");
    const isThere = wanted.split("|").includes(now);
    part.hidden = !isThere;
    for (const element of part.matches("fieldset") ? [part] : part.querySelectorAll("input, select, textarea")) element.disabled = !isThere;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.api === undefined && form.dataset.download === undefined) return;
  event.preventDefault();
  if (form.dataset.api) submit(form, event.submitter);
  else fetchFile(form);
});
document.addEventListener("change", (event) => {
  if (event.target.form?.querySelector("[data-when]")) showParts(event.target.form);
  if (event.target.form?.dataset.filter !== undefined) event.target.form.requestSubmit();
});
for (const form of document.querySelectorAll("form")) showParts(form);
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // tabs scroll on narrow screens
