// What the browser keeps for this page. Where its storage is full or forbidden, things are kept in memory, for as long as the page lives.

class Keeping {
  #storage = null;
  #memory = new Map();

  constructor(name) {
    try {
      this.#storage = window[name];
    } catch {
      // forbidden by a setting of the browser
    }
  }

  get(key) {
    return this.#memory.get(key) ?? this.#storage?.getItem(key) ?? null;
  }

  // Whether it will be there when the page is not any more.
  set(key, value) {
    this.remove(key);
    try {
      this.#storage.setItem(key, value);
      return true;
    } catch {
      this.#memory.set(key, value);
      return false;
    }
  }

  remove(key) {
    this.#memory.delete(key);
    this.#storage?.removeItem(key);
  }

  keys() {
    return [...new Set([...this.#memory.keys(), ...Object.keys(this.#storage ?? {})])];
  }
}

export const local = new Keeping("localStorage"); // all tabs of this browser see it
export const session = new Keeping("sessionStorage"); // this tab only, also when it is loaded again
