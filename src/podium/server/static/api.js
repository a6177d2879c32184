// How pages speak with the server: JSON there and back, errors as one line, and short words about what happened.

import { session } from "./keeping.js";

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

// Send one request; a body that is no FormData goes as JSON. Gives what the server answered, or null if that was nothing.
export async function send(method, path, body) {
  const isForm = body instanceof FormData;
  const options = { method, credentials: "same-origin", headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.body = isForm ? body : JSON.stringify(body);
    if (!isForm) options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, "offline", "The server cannot be reached. Check the connection and try again.");
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status, "unreadable", `The server's answer cannot be read (status ${response.status}).`);
  }
  if (!response.ok) throw new ApiError(response.status, answer?.error?.code ?? "", worded(response.status, answer));
  return answer;
}

function worded(status, answer) {
  if (status === 401) return "You are not signed in any more. Open your link again, or ask for a new one.";
  const message = answer?.error?.message ?? `The server refused this (status ${status}).`;
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");
}

// Fetch a file and hand it to the reader, or say why it cannot be had.
export async function download(path) {
  const response = await fetch(path, { credentials: "same-origin" }).catch(() => null);
  if (!response) throw new ApiError(0, "offline", "The server cannot be reached. Check the connection and try again.");
  if (!response.ok) throw new ApiError(response.status, "", worded(response.status, await response.json().catch(() => null)));
  const link = document.createElement("a");
  link.download = /filename="([^"]*)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  link.href = URL.createObjectURL(await response.blob());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A short message that goes away by itself; screen readers hear it.
export function toast(text, isBad = false) {
  const box = document.createElement("p");
  box.className = isBad ? "toast toast-bad" : "toast";
  box.textContent = text;
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), 6000);
}

// A message for the page that comes next.
export function toastAfterwards(text) {
  if (text) session.set("podium-said", text);
}

const left = session.get("podium-said");
if (left) {
  session.remove("podium-said");
  setTimeout(() => toast(left), 100); // a live region is read only when it changes after the page was there
}
