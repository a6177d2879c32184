// Which key means what. Keys that a browser or a screen reader uses with Ctrl, Alt or Meta are left alone.

import { local } from "./keeping.js";

const PAIR_KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie", 1: "left", 2: "right", b: "bad" };
const PLAIN = { u: "undo", s: "skip", p: "pause", g: "guidelines", "?": "help", j: "down", k: "up" };
const SHIFTED = { u: "redo", j: "downRight", k: "upRight" };
const HELD = new Set(["down", "up", "downRight", "upRight"]); // what goes on while the key is held down; an answer never does

// What pressing a key means: {name, answer}, or null. Single characters can be switched off, as some people speak or press them by accident.
export function meaningOf(event, question, areLettersOn) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isTyping(event.target)) return null;
  if (event.key.length === 1 && !areLettersOn) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // whatever Caps Lock says
  const answer = question && answerOf(key, question);
  if (answer) return event.repeat ? null : { name: "answer", answer };
  const name = (event.shiftKey && SHIFTED[key]) || PLAIN[key];
  return name === undefined || (event.repeat && !HELD.has(name)) ? null : { name };
}

function answerOf(key, question) {
  const answer = question.tool === "grades" ? question.answers[Number(key) - 1] : PAIR_KEYS[key];
  return question.answers.includes(answer) ? answer : undefined;
}

function isTyping(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

export function areLettersOn() {
  return local.get("podium.letters") !== "off";
}

export function setLetters(areOn) {
  local.set("podium.letters", areOn ? "on" : "off");
}
