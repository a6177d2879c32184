// The line to the server: what a page asks and says in the name of the member who opened it.

import { troubleWords } from "./judge_words.js";
import { Outbox } from "./outbox.js";
import { request, untilAnswered } from "./requests.js";

export class Line {
  #project;
  #person; // the name of whoever opened the page
  #who; // goes with every request, as another person may sign in meanwhile
  #outbox;
  #tell;
  #isTroubled = false; // the server could not be reached lately
  #isLasting = true; // what was said last outlives this page

  // `tell` hears, in words, of every failure in passing.
  constructor({ project, member, person }, desk, tell) {
    this.#project = `/api/v1/projects/${project}`;
    this.#person = person;
    this.#who = { desk, member: Number(member) };
    this.#outbox = new Outbox(`${project}.${member}`, this.#who);
    this.#tell = tell;
  }

  get isLasting() {
    return this.#isLasting;
  }

  // Whether nothing waits here to be sent.
  get isIdle() {
    return this.#outbox.isEmpty;
  }

  // Whether nothing of this member is kept in this browser, whichever tab has left it.
  get isClear() {
    return this.#outbox.isClear;
  }

  get isTroubled() {
    return this.#isTroubled && !this.isIdle;
  }

  async next(take) {
    return this.#heard(await untilAnswered(() => request("POST", `${this.#project}/next`, { ...this.#who, take }), this.#trouble));
  }

  say(what, body) {
    this.#isLasting = this.#outbox.put(`${this.#project}/${what}`, body);
    return this.deliver();
  }

  async deliver() {
    return this.#heard(await this.#outbox.deliver(this.#trouble));
  }

  deliverOld() {
    return this.#outbox.deliverOld(this.#trouble);
  }

  ahead({ task, token }) {
    return request("GET", `${this.#project}/ahead?task=${task}&token=${encodeURIComponent(token)}`);
  }

  // Whoever else has signed in in this browser since the page was opened, as [the owner of the page, the other]; or null.
  async stranger() {
    const { status, data } = await request("GET", "/api/v1/me");
    return status === 200 && data.name !== this.#person ? [this.#person, data.name] : null;
  }

  // The page is left, and may be gone before an answer.
  release() {
    navigator.sendBeacon(`${this.#project}/release`, new Blob([JSON.stringify(this.#who)], { type: "application/json" }));
  }

  #heard(reply) {
    this.#isTroubled = false;
    return reply;
  }

  #trouble = (reply) => {
    this.#isTroubled = true;
    this.#tell(troubleWords(reply, this.isIdle, this.#isLasting));
  };
}
