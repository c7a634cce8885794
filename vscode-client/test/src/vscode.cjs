// As much of VS Code as what is tested without it uses.

class EventEmitter {
  #listeners = new Set();

  event = (listener) => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };

  fire(value) {
    for (const listener of [...this.#listeners]) {
      listener(value);
    }
  }

  dispose() {
    this.#listeners.clear();
  }
}

class Disposable {
  constructor(act) {
    this.dispose = act;
  }

  static from(...all) {
    return new Disposable(() => {
      for (const each of all) {
        each.dispose();
      }
    });
  }
}

module.exports = { EventEmitter, Disposable };
