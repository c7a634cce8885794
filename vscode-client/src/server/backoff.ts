// How long to wait before a server that ended unasked is started again.

const FIRST_MILLISECONDS = 500;
const LONGEST_MILLISECONDS = 60_000;
const RECOVERED_MILLISECONDS = 60_000; // a life as long as this makes earlier failures count no more

/** Doubles the wait with each failure in a row. */
export class Backoff {
  #failures = 0;

  /** A server that lived so long ended; gives the milliseconds to wait. */
  next(livedMilliseconds: number): number {
    this.#failures = livedMilliseconds > RECOVERED_MILLISECONDS ? 1 : this.#failures + 1;
    return Math.min(FIRST_MILLISECONDS * 2 ** (this.#failures - 1), LONGEST_MILLISECONDS);
  }
}
