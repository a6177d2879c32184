// What is on the page around the question: the query, the answers, progress, words about what happens. It decides nothing.

import { Pane } from "./documents.js";

const PAIR_ANSWERS = {
  // in the order of the buttons, as the documents stand
  left: { label: "1 is better", key: "←", hint: "ArrowLeft" },
  tie: { label: "Tie", key: "↓", hint: "ArrowDown" },
  bad: { label: "Both bad", key: "B", hint: "B" },
  right: { label: "2 is better", key: "→", hint: "ArrowRight" },
};
const find = (id) => document.getElementById(id);

export class View {
  #panes = { left: new Pane(find("stage-left")), right: new Pane(find("stage-right")) };
  #answers = find("answers");
  #onAnswer;
  #offered = "";

  constructor(onAnswer) {
    this.#onAnswer = onAnswer;
  }

  question(question) {
    const isPair = question.tool === "pairs";
    find("query").textContent = question.query || question.query_id;
    find("description").textContent = question.description;
    find("side-right").hidden = !isPair;
    find("documents").classList.toggle("is-one", !isPair);
    find("label-left").textContent = isPair ? "Document 1" : "Document";
    this.#panes.left.show(question.left, question);
    this.#panes.right.show(question.right, question);
    this.#offer(question);
    const query = find("query-box");
    query.toggleAttribute("tabindex", false);
    if (query.scrollHeight > query.clientHeight) query.setAttribute("tabindex", "0"); // what scrolls must be reached by keyboard
  }

  // Buttons stay the same while the answers do, so that focus stays with them.
  #offer(question) {
    const offered = JSON.stringify([question.tool, question.answers]);
    if (offered === this.#offered) return;
    this.#offered = offered;
    this.#answers.classList.toggle("is-grades", question.tool === "grades");
    this.#answers.replaceChildren(...(question.tool === "grades" ? this.#gradeButtons(question) : this.#pairButtons(question)));
  }

  #pairButtons(question) {
    const offered = Object.entries(PAIR_ANSWERS).filter(([answer]) => question.answers.includes(answer));
    return offered.map(([answer, { label, key, hint }]) => this.#button(answer, label, key, hint));
  }

  #gradeButtons(question) {
    return question.answers.map((grade, place) => this.#button(grade, grade, place < 9 ? `${place + 1}` : "", `${place + 1}`));
  }

  #button(answer, label, key, hint) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button judge-answer";
    made.dataset.answer = answer;
    made.setAttribute("aria-keyshortcuts", hint);
    const words = document.createElement("span");
    words.textContent = label;
    const sign = document.createElement("kbd");
    sign.textContent = key;
    sign.setAttribute("aria-hidden", "true");
    made.append(...(answer === "right" ? [words, sign] : [sign, words]));
    made.addEventListener("click", () => this.#onAnswer(answer));
    return made;
  }

  // Whether answers are taken now. Buttons are not disabled for real, which would take the focus from them.
  ready(isReady) {
    this.#answers.setAttribute("aria-busy", String(!isReady));
    for (const button of this.#answers.children) button.setAttribute("aria-disabled", String(!isReady));
    for (const id of ["undo", "skip"]) find(id).setAttribute("aria-disabled", String(!isReady));
  }

  progress({ about_left: left, queries_done: done, queries }, start) {
    const number = Math.min(done + 1, Math.max(queries, 1));
    const many = left === 1 ? "1 judgment" : `${left} judgments`;
    find("progress-left").textContent = `About ${many} left`;
    find("progress-where").textContent = " in this query"; // which a narrow screen has no room for
    find("progress-query").textContent = ` · query ${number} of ${queries}`;
    find("progress").value = start > 0 ? Math.max(0, 1 - left / start) : 0;
  }

  clock(seconds) {
    const whole = Math.floor(seconds);
    find("clock").textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  // What is to be known, in words, on a line of its own, so that nothing jumps.
  state(words, isTrouble = false) {
    const line = find("state");
    line.textContent = words;
    line.classList.toggle("is-trouble", isTrouble);
  }

  say(words) {
    const said = find("said");
    said.textContent = "";
    setTimeout(() => (said.textContent = words), 50); // a change, also if the words are the same as before
  }

  // Something instead of the documents: a title, a text, and buttons as [label, action].
  panel(title, text, ...buttons) {
    find("panel-title").textContent = title;
    find("panel-text").textContent = text;
    find("panel-buttons").replaceChildren(...buttons.map(([label, action], place) => panelButton(label, action, place === 0)));
    find("panel").hidden = false;
    find("documents").inert = true;
    document.body.classList.add("has-panel");
    (find("panel-buttons").firstElementChild ?? find("panel-title")).focus();
  }

  noPanel() {
    if (find("panel").hidden) return;
    find("panel").hidden = true;
    find("documents").inert = false;
    document.body.classList.remove("has-panel");
    find("main").focus();
  }

  bare(isBare) {
    document.body.classList.toggle("is-bare", isBare); // nothing to judge: no query, no answers
  }

  dialog(id) {
    find(id).showModal();
  }

  stillThere() {
    document.querySelector("dialog[open]")?.close();
    this.dialog("still-there");
  }

  get isAskingWhoIsThere() {
    return find("still-there").open;
  }

  cover(isCovered) {
    document.body.classList.toggle("is-covered", isCovered); // nobody reads off the clock
  }

  prepare(question) {
    this.#panes.left.prepare(question.left, question);
    if (question.right) this.#panes.right.prepare(question.right, question);
  }

  scroll(side, pages) {
    this.#panes[side].scroll(pages);
  }
}

function panelButton(label, action, isMain) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = isMain ? "button button-main" : "button";
  made.textContent = label;
  made.addEventListener("click", action);
  return made;
}
