// Tells a state when it has not changed for a while, and only if it is another one.

/** `look` gives the state as it is, `tell` gets it; `quiet` is in ms. */
export class Settled<T> {
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;

  constructor(
    private readonly look: () => T,
    private readonly tell: (state: T) => void,
    private readonly quiet: number,
  ) {}

  /** Something changed. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#now(), this.quiet);
  }

  /** The receiver is a new one: give it the state at once, changed or not. */
  again(): void {
    this.#told = undefined;
    this.#now();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #now(): void {
    clearTimeout(this.#timer);
    const state = this.look();
    const text = JSON.stringify(state);
    if (text !== this.#told) {
      this.#told = text;
      this.tell(state);
    }
  }
}
