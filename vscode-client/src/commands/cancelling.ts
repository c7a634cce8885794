// Cancelling a run that the user may not want any more before the server has begun with it.

/** What was asked of the server is over once `settled` is. */
export class Cancelling {
  #wanted = false;
  #stops: Promise<void>[] = [];

  /** `stop` ends the run, if the server has it. */
  constructor(private readonly stop: () => Promise<void>) {}

  /** The user wants its end. */
  cancel(): void {
    this.#wanted = true;
    this.#send();
  }

  get isWanted(): boolean {
    return this.#wanted;
  }

  /** The server has begun with it: what it was told before it did not know. */
  begun(): void {
    if (this.#wanted) {
      this.#send();
    }
  }

  /** Throws what went wrong on the way. */
  async settled(): Promise<void> {
    await Promise.all(this.#stops);
  }

  #send(): void {
    const sent = this.stop();
    sent.catch(() => undefined); // `settled` throws it
    this.#stops.push(sent);
  }
}
