// The clock of one question: active, paused and idle time, by a clock that is never set back.

const now = () => performance.now();

export class Clock {
  #mode = "stopped"; // or active, paused, idle
  #since = 0; // when the mode began
  #movedAt = 0;
  #spent = { active: 0, paused: 0, idle: 0 }; // before that

  constructor(idleAfter) {
    this.idleAfter = idleAfter;
  }

  get mode() {
    return this.#mode;
  }

  // A new question, or one on which so much time was spent already. Whoever paused stays paused.
  begin({ seconds, paused, idle } = { seconds: 0, paused: 0, idle: 0 }) {
    this.#spent = { active: seconds * 1000, paused: paused * 1000, idle: idle * 1000 };
    this.#since = this.#movedAt = now();
    if (this.#mode === "stopped") this.#mode = "active";
  }

  stop() {
    this.#turn("stopped");
  }

  pause() {
    this.#turn("paused");
  }

  go() {
    this.#turn("active");
    this.#movedAt = now();
  }

  leave() {
    if (this.#mode === "active") this.#turn("idle");
  }

  // Somebody moved; whether it was after too long, as notice() says it.
  moved() {
    const isLate = this.notice();
    if (!isLate) this.#movedAt = now();
    return isLate;
  }

  // Whether nobody has moved for too long. The time since the last movement then turns out to have been idle.
  notice() {
    if (this.#mode !== "active" || now() - this.#movedAt < this.idleAfter) return false;
    this.#turn("idle", Math.max(this.#movedAt, this.#since));
    return true;
  }

  times() {
    const seconds = (mode) => Math.round(this.#spent[mode] + (mode === this.#mode ? now() - this.#since : 0)) / 1000;
    return { seconds: seconds("active"), paused: seconds("paused"), idle: seconds("idle") };
  }

  #turn(mode, at = now()) {
    if (this.#mode !== "stopped") this.#spent[this.#mode] += at - this.#since;
    this.#mode = mode;
    this.#since = at;
  }
}
