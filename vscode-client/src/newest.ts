// Searches while one types: only what was typed last matters.

import { type CancellationToken, CancellationTokenSource } from "vscode";

/** Does one thing at a time: the next one cancels it. */
export class Newest {
  #source: CancellationTokenSource | undefined;

  /** What `work` gives; undefined once another one was begun. */
  async run<T>(work: (token: CancellationToken) => Promise<T>): Promise<T | undefined> {
    this.#source?.cancel();
    const source = new CancellationTokenSource();
    this.#source = source;
    try {
      const found = await work(source.token);
      return source.token.isCancellationRequested ? undefined : found;
    } catch (error) {
      if (source.token.isCancellationRequested) {
        return undefined;
      }
      throw error;
    }
  }
}
