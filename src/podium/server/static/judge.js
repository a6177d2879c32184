// The page where people judge: what they do with mouse, keys and window goes to the flow of questions.

import { Judging } from "./judge_flow.js";
import { areLettersOn, setLetters } from "./keys.js";
import { ownDesk } from "./outbox.js";

function listen(judging) {
  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
    addEventListener(kind, () => judging.moved(), { capture: true, passive: true });
  }
  addEventListener("keydown", (event) => judging.press(event));
  addEventListener("keydown", (event) => {
    const isHeld = event.repeat && (event.key === "Enter" || event.key === " "); // would press a button again and again
    if (isHeld && event.target.closest?.("button")) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => judging.seen(!document.hidden));
  addEventListener("pagehide", () => judging.leave());
  addEventListener("pageshow", (event) => event.persisted && judging.begin());
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => judging.do(button.dataset.do));
  document.getElementById("still-there").addEventListener("close", () => judging.stay());
  setInterval(() => judging.tick(), 500);
}

// A click into a frame takes the keys away from this page; it gets them back, unless someone went into the frame by Tab, to scroll in it.
function keepKeys() {
  let tabbedAt = -Infinity;
  addEventListener("keydown", (event) => event.key === "Tab" && (tabbedAt = performance.now()), { capture: true });
  addEventListener("blur", () => {
    const isTabbed = performance.now() - tabbedAt < 300;
    setTimeout(() => !isTabbed && document.activeElement?.tagName === "IFRAME" && document.getElementById("main").focus({ preventScroll: true }));
  });
}

function wireLetters() {
  const box = document.getElementById("letters");
  box.checked = areLettersOn();
  box.addEventListener("change", () => setLetters(box.checked));
}

const judging = new Judging(document.getElementById("judge").dataset, await ownDesk());
listen(judging);
keepKeys();
wireLetters();
await judging.begin();
