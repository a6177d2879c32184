// What this tab remembers of the questions that were put to it.

import { session } from "./keeping.js";

// The same for the same question, whatever its token and whichever document stands on the left.
export function keyOf({ task, tool, query_id: query, left, right }) {
  return JSON.stringify([task, tool, query, ...[left.id, right?.id ?? ""].sort()]);
}

// What was said here, the last at the end, to know which question an undo brings back.
export class Said {
  #said = [];
  #undone = [];

  add(question) {
    this.#said.push(keyOf(question));
    this.#undone = [];
  }

  // Whether something else than what was taken back is offered now. What was said before this page was loaded is not known.
  undo(offered) {
    const key = this.#said.pop();
    this.#undone.push(key);
    return key !== undefined && offered !== null && key !== keyOf(offered);
  }

  redo() {
    this.#said.push(this.#undone.pop());
  }

  forget() {
    this.#said = [];
    this.#undone = [];
  }
}

// How long the question on the screen was looked at: it goes on when the page is loaded again and the same question comes.
export class TimesKept {
  #place;

  constructor(member) {
    this.#place = `podium.times.${member}`;
  }

  keep(question, times) {
    session.set(this.#place, JSON.stringify({ key: keyOf(question), times }));
  }

  of(question) {
    const kept = JSON.parse(session.get(this.#place) ?? "null");
    return kept?.key === keyOf(question) ? kept.times : undefined;
  }

  forget() {
    session.remove(this.#place);
  }
}

// How much a query seemed to need at its most: the bar of progress begins there.
export function startOf(query, left) {
  const kept = JSON.parse(session.get("podium.start") ?? "{}");
  const start = Math.max(kept.query === query ? kept.start : 0, left);
  session.set("podium.start", JSON.stringify({ query, start }));
  return start;
}
