// What was said and not yet acknowledged. It is kept in the browser, so that neither a lost connection nor a crash of the tab loses it.

import { local, session } from "./keeping.js";
import { isPassing, request, untilAnswered } from "./requests.js";

// Refusals after which the same answer may be sent again later, by the same member.
const KEPT = new Set(["unauthorised", "not_allowed", "not_found", "elsewhere", "closed"]);

export class Outbox {
  #place;
  #who;

  // `place` names the project and the member; `who` goes with all that is sent: the member, and the desk, which is this tab. Each tab has at
  // most one thing waiting.
  constructor(place, who) {
    this.#place = `podium.outbox.${place}.`;
    this.#who = who;
  }

  get #own() {
    return this.#place + this.#who.desk;
  }

  // Whether it outlives this page.
  put(address, body) {
    return local.set(this.#own, JSON.stringify({ address, body }));
  }

  get isEmpty() {
    return local.get(this.#own) === null;
  }

  // Whether nothing of this member waits in this browser, whichever tab has left it.
  get isClear() {
    return !local.keys().some((key) => key.startsWith(this.#place));
  }

  // Send what waits; the server's answer, or null if another tab has sent it already.
  deliver(tell) {
    return this.#deliver(this.#own, tell);
  }

  // Send the answers that tabs which are gone have left behind; the server's answers.
  async deliverOld(tell) {
    const replies = [];
    for (const key of local.keys().filter((key) => key.startsWith(this.#place) && key !== this.#own)) {
      if (isLasting(local.get(key))) replies.push(await this.#deliver(key, tell));
      else local.remove(key);
    }
    return replies.filter((reply) => reply !== null);
  }

  #deliver(key, tell) {
    return untilAnswered(() => alone(key, () => this.#send(key)), tell);
  }

  // The reply says also `what` was sent, whether it `isTaken`, that is counts now, and whether it `isKept` here.
  async #send(key) {
    const kept = local.get(key);
    if (kept === null) return null;
    const { address, body } = JSON.parse(kept);
    const reply = await request("POST", address, { ...body, ...this.#who });
    const isTaken = reply.status === 200 || reply.isRecorded;
    const isKept = isPassing(reply) || (!isTaken && KEPT.has(reply.code) && isLasting(kept));
    if (!isKept) local.remove(key);
    return { ...reply, what: address.split("/").pop(), isTaken, isKept };
  }
}

// An answer is about its question, whenever it arrives. An undo is about what was last, which may be something else by then.
function isLasting(kept) {
  return kept !== null && /\/(answers|skips)$/.test(JSON.parse(kept).address);
}

// Only one tab at a time. Where the page is not served over https there are no locks; the server counts everything once in any case.
function alone(key, work) {
  return navigator.locks ? navigator.locks.request(key, work) : work();
}

// The id of this tab: it lasts while the tab does. A tab that was duplicated has its original's id at first, and gets another.
export async function ownDesk() {
  const claim = navigator.locks ? claimByLock : claimByWord;
  const kept = session.get("podium.desk");
  const desk = kept !== null && (await claim(kept)) ? kept : newKey();
  if (desk !== kept) claim(desk); // nobody else can have it
  session.set("podium.desk", desk);
  return desk;
}

const RELOAD = 1000; // milliseconds in which the page that this one replaces has let go of the id

function claimByLock(desk) {
  return new Promise((resolve) => {
    const held = () => (resolve(true), new Promise(() => {})); // for as long as the page lives
    navigator.locks.request(`podium.desk.${desk}`, { signal: AbortSignal.timeout(RELOAD) }, held).catch(() => resolve(false));
  });
}

const ANSWER = 250; // milliseconds in which another tab says that the id is its own

// Without https there are no locks: ask the other tabs, and answer them.
function claimByWord(desk) {
  if (!globalThis.BroadcastChannel) return Promise.resolve(true);
  const channel = new BroadcastChannel(`podium.desk.${desk}`);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      channel.onmessage = ({ data }) => data === "whose?" && channel.postMessage("mine");
      resolve(true);
    }, ANSWER);
    channel.onmessage = ({ data }) => {
      if (data !== "mine") return;
      clearTimeout(timer);
      channel.close();
      resolve(false);
    };
    channel.postMessage("whose?");
  });
}

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID wants https
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
