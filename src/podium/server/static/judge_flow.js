// One question after another, each answer sent once, whatever becomes of the connection.

import { Clock } from "./clock.js";
import { Line } from "./judge_line.js";
import { View } from "./judge_view.js";
import * as words from "./judge_words.js";
import { areLettersOn, meaningOf } from "./keys.js";
import { Said, TimesKept, keyOf, startOf } from "./memory.js";
import { newKey } from "./outbox.js";

const GUARD = 250; // milliseconds in which nobody can have read a new pair: an answer was meant for the one before
const POLLS = { wait: 5000, finished: 45000, empty: 45000 }; // milliseconds until the page looks again by itself
const FRAME_FACTOR = 3; // movements inside a frame of another origin cannot be noticed, so idleness is noticed later
const SCROLLS = { down: ["left", 0.4], up: ["left", -0.4], downRight: ["right", 0.4], upRight: ["right", -0.4] };

export class Judging {
  #line;
  #view = new View((answer) => this.answer(answer));
  #clock;
  #idleAfter;
  #times;
  #said = new Said();
  #question = null; // as it is shown; without a token while the server has not confirmed it
  #query = ""; // of the last question that was confirmed
  #isReady = false; // an answer is taken
  #isPaused = false;
  #isHere = false; // this tab is the one that judges
  #isWarned = false; // that this browser keeps nothing
  #isLooking = false; // for something new
  #shownAt = 0;
  #ahead = {}; // the question after each answer, as far as it is known
  #note = ""; // said with what comes next
  #resting = ""; // finished, empty or wait
  #poll = 0;

  constructor(opened, desk) {
    this.#line = new Line(opened, desk, (trouble) => this.#tell(trouble, true));
    this.#times = new TimesKept(opened.member);
    this.#idleAfter = Number(opened.idleSeconds) * 1000;
    this.#clock = new Clock(this.#idleAfter);
  }

  // Begin, also after something stood in the way: first send what waits here or was left by a tab that crashed.
  async begin(take = false) {
    if (take && !(await this.#take())) return;
    this.#note ||= words.oldWords(await this.#line.deliverOld());
    await (this.#line.isIdle ? this.#next() : this.#receive(this.#line.deliver()));
  }

  // What a person does.

  answer(answer) {
    if (!this.#mayAnswer()) return this.#tellWait();
    const follows = this.#ahead[answer];
    this.#sayOf(this.#question, "answers", { answer });
    if (follows) this.#show(follows);
  }

  skip() {
    if (this.#mayAnswer()) this.#sayOf(this.#question, "skips", {});
  }

  takeBack(which) {
    if (!this.#isHere || this.#isPaused || !this.#line.isIdle) return;
    this.#send(which, { key: newKey() });
  }

  pause() {
    if (this.#isPaused) return this.resume();
    if (this.#question === null) return;
    this.#isPaused = true;
    this.#clock.pause();
    this.#view.panel("Paused", "The clock stands still, and the documents are out of sight.", ["Go on", () => this.resume()]);
    this.#view.say("Paused.");
  }

  resume() {
    this.#isPaused = false;
    this.#clock.go();
    this.#view.noPanel();
    this.#view.say("The clock runs again.");
  }

  stay() {
    if (this.#clock.mode === "idle") this.#clock.go();
    this.#view.cover(false);
  }

  async lookAgain() {
    await this.begin();
    if (this.#resting) this.#tell(words.NOTHING_NEW);
  }

  // Sending and receiving.

  #mayAnswer() {
    return this.#isReady && this.#clock.mode === "active" && performance.now() - this.#shownAt >= GUARD;
  }

  // The question on the screen may be known and not confirmed; without its token it cannot be answered.
  #tellWait() {
    if (this.#line.isTroubled) this.#tell(words.ONE_MOMENT, true);
  }

  #tell(told, isTrouble = false) {
    this.#view.state(told, isTrouble);
    this.#view.say(told);
  }

  #sayOf(question, what, answer) {
    this.#said.add(question);
    this.#times.forget();
    this.#send(what, { task: question.task, token: question.token, ...answer, ...this.#clock.times() });
  }

  #send(what, body) {
    this.#view.state("Saving…");
    return this.#receive(this.#line.say(what, body));
  }

  #next() {
    clearTimeout(this.#poll);
    return this.#receive(this.#line.next(false));
  }

  async #take() {
    const reply = await this.#line.next(true);
    if (reply.status !== 200) await this.#receive(reply);
    return reply.status === 200;
  }

  async #receive(coming) {
    this.#setReady(false);
    const reply = await coming;
    if (reply === null) return this.#next(); // another tab has sent it
    if (reply.status === 200) return this.#offer(reply.data, reply.what);
    if (words.STOPS[reply.code]) return this.#stop(await this.#reasonOf(reply), reply);
    if (!reply.what) return this.#stop({ title: "You cannot judge here", text: reply.message }, reply);
    this.#said.forget();
    this.#note = words.refusalWords(reply);
    return this.#next();
  }

  // Why we are refused: perhaps because another person has signed in in this browser.
  async #reasonOf({ code }) {
    const stranger = code === "elsewhere" || code === "closed" ? null : await this.#line.stranger();
    return stranger ? words.strangerStop(this, ...stranger) : words.STOPS[code](this);
  }

  #offer({ status, question, progress }, what) {
    this.#isHere = true;
    const isAnother = what === "undo" && this.#said.undo(question);
    if (what === "redo") this.#said.redo();
    const told = this.#note || words.doneWords(what, isAnother);
    this.#note = "";
    if (status !== "question") return this.#rest(status, progress, told);
    this.#put(question, progress, told);
  }

  #put(question, progress, told) {
    if (!this.#isShown(question)) this.#show(question);
    const turn = this.#query && this.#query !== question.query_id ? `${told} A new query.` : told;
    this.#question = question;
    this.#query = question.query_id;
    this.#setReady(true);
    this.#view.progress(progress, startOf(question.query_id, progress.about_left));
    this.#view.state(...this.#warned(turn));
    this.#view.say(`${turn} Next ${question.right === null ? "document" : "pair"}.`);
    this.#lookAhead(question);
  }

  // The words, once with a warning if the browser keeps nothing.
  #warned(told) {
    if (this.#line.isLasting || this.#isWarned) return [told];
    this.#isWarned = true;
    return [`${told} ${words.CANNOT_KEEP}`, true];
  }

  // Whether what the server offers is on the screen already: foreseen, or the same as before. Its clock then goes on.
  #isShown(question) {
    const shown = this.#question;
    if (shown === null || (shown.token !== "" && shown.token !== question.token)) return false;
    return keyOf(shown) === keyOf(question) && shown.left.id === question.left.id;
  }

  async #lookAhead(question) {
    const reply = await this.#line.ahead(question);
    if (reply.status !== 200 || this.#question?.token !== question.token) return;
    this.#ahead = reply.data;
    for (const follows of Object.values(reply.data)) if (follows) this.#view.prepare(follows);
  }

  // What is on the screen.

  #show(question) {
    this.#question = question;
    this.#ahead = {};
    this.#resting = "";
    const hasFrame = [question.left, question.right].some((shown) => shown?.kind === "html");
    this.#clock.idleAfter = this.#idleAfter * (hasFrame ? FRAME_FACTOR : 1);
    this.#clock.begin(this.#times.of(question));
    if (document.hidden) this.#clock.leave();
    this.#view.bare(false);
    if (!this.#isPaused) this.#view.noPanel();
    this.#view.question(question);
    this.#shownAt = performance.now();
  }

  #setReady(isReady) {
    this.#isReady = isReady;
    this.#view.ready(isReady);
  }

  #rest(status, progress, told) {
    const kind = status === "finished" && progress.queries === 0 ? "empty" : status;
    clearTimeout(this.#poll);
    this.#poll = setTimeout(() => this.#look(), POLLS[kind]);
    if (this.#resting !== kind) this.#clear(words.RESTS[kind](this, progress));
    this.#resting = kind;
    this.#view.state(kind === "empty" ? "" : told);
  }

  #stop(told, reply) {
    this.#isHere = false;
    this.#resting = "";
    this.#said.forget(); // what is said elsewhere is not known here
    this.#clear(told);
    const isKept = !this.#line.isClear;
    this.#view.state(isKept ? words.keptWords(this.#line.isLasting) : words.stopWords(reply, this.#note), isKept);
  }

  #clear({ title, text, buttons = [] }) {
    this.#question = null;
    this.#isPaused = false;
    this.#clock.stop();
    this.#view.cover(false);
    this.#view.bare(true);
    this.#view.panel(title, text, ...buttons);
    this.#view.say(title);
  }

  // Time passes, people move.

  tick() {
    if (this.#clock.notice()) this.#askWhoIsThere();
    this.#keepTimes();
    this.#view.clock(this.#clock.times().seconds);
  }

  moved() {
    if (this.#clock.moved()) this.#askWhoIsThere(); // before a tick has noticed it
  }

  #askWhoIsThere() {
    this.#view.cover(true);
    this.#view.stillThere();
  }

  // Not of a question that was answered and is still on the screen.
  #keepTimes() {
    if (this.#question !== null && (this.#isReady || this.#question.token === "")) this.#times.keep(this.#question, this.#clock.times());
  }

  seen(isVisible) {
    if (!isVisible) return this.#clock.leave();
    if (this.#clock.mode === "idle" && !this.#view.isAskingWhoIsThere) this.#clock.go();
    if (this.#resting) this.#look();
  }

  // Whether there is something new; nobody needs to know while the page is out of sight.
  async #look() {
    if (document.hidden || this.#isLooking) return;
    this.#isLooking = true;
    await this.#next();
    this.#isLooking = false;
  }

  press(event) {
    if (document.querySelector("dialog[open]") !== null) return;
    const meaning = meaningOf(event, this.#isPaused ? null : this.#question, areLettersOn());
    if (meaning === null) return;
    event.preventDefault();
    this.do(meaning.name, meaning.answer);
  }

  do(name, answer) {
    if (name === "answer") this.answer(answer);
    else if (name === "skip" || name === "pause") this[name]();
    else if (name === "undo" || name === "redo") this.takeBack(name);
    else if (name in SCROLLS) this.#view.scroll(...SCROLLS[name]);
    else this.#view.dialog(name);
  }

  leave() {
    this.#keepTimes();
    this.#line.release();
  }
}
