// The files that runs have changed without a review, by URI, and how they are kept with a workspace:
// so many at most, and none that is large.

import type { Uri } from "vscode";
import { ChangedText, type Size } from "./changed-text.ts";
import type { ChangingTurn } from "./changing-turns.ts";

export const MOST_FILES = 100;
export const MOST_CHARACTERS = 200_000; // of a text before

/** A file, and the turns that changed it, oldest first; their paths are as the server names them. */
export interface ChangedFile {
  readonly uri: Uri;
  readonly text: ChangedText;
  readonly turns: readonly ChangingTurn[];
  /** Those whose changes are counted in it, also while nothing of them waits. */
  readonly whose?: readonly ChangingTurn[];
  /** Those of which nothing waits, because all was kept; they may go on. */
  readonly kept?: readonly ChangingTurn[];
  /** Whether the first of the turns made the file. */
  readonly isNew: boolean;
  /** Whether all that waits is all that the turns did: then the server can take it back. */
  readonly isWhole: boolean;
}

/** A file as it is kept. */
export type KeptFile = Omit<ChangedFile, "uri" | "text" | "kept"> & {
  readonly uri: string;
  readonly before: string;
  readonly taken?: Size;
};

/** Those in which something waits, and those that were kept while their run may go on. */
export class ChangedFiles {
  readonly #files = new Map<string, ChangedFile>(); // by URI; the one that a run changed last at the end

  constructor(kept: readonly KeptFile[], parse: (uri: string) => Uri) {
    for (const { uri, before, taken, ...rest } of kept) {
      this.#files.set(uri, { uri: parse(uri), text: new ChangedText(before, taken), ...rest });
    }
  }

  get(uri: Uri): ChangedFile | undefined {
    return this.#files.get(uri.toString());
  }

  get waiting(): ChangedFile[] {
    return [...this.#files.values()].filter(({ text }) => text.waits);
  }

  /** As they go on in another window; a change that was undone may come back. */
  get kept(): readonly KeptFile[] {
    const kept = [...this.#files.values()].filter(
      ({ text, whose = [] }) => text.waits || (whose.length > 0 && text.isAsBefore),
    );
    return kept.map(({ uri, text, turns, whose, isNew, isWhole }) => {
      const { before, taken } = text;
      const of = whose ? { turns, whose } : { turns };
      return { uri: uri.toString(), before, taken, ...of, isNew, isWhole };
    });
  }

  put(file: ChangedFile): void {
    this.#files.set(file.uri.toString(), file);
  }

  /** A run has changed it: where there are too many, the one goes that was changed least lately. */
  changed(file: ChangedFile): void {
    this.delete(file.uri);
    if (file.text.before.length <= MOST_CHARACTERS) {
      this.put(file);
    }
    for (const name of [...this.#files.keys()].slice(0, -MOST_FILES)) {
      this.#files.delete(name);
    }
  }

  delete(uri: Uri): void {
    this.#files.delete(uri.toString());
  }

  /** A file or a folder has another name. */
  rename(from: Uri, to: Uri): void {
    for (const file of [...this.#files.values()]) {
      if (file.uri.path === from.path || file.uri.path.startsWith(`${from.path}/`)) {
        const path = to.path + file.uri.path.slice(from.path.length);
        this.delete(file.uri);
        this.put({ ...file, uri: to.with({ path }), isWhole: false });
      }
    }
  }

  /** Turns were undone or redone; gives the files that they changed. */
  undone(turns: readonly string[]): readonly ChangedFile[] {
    const theirs = this.waiting.filter((file) =>
      file.turns.some(({ turn }) => turns.includes(turn)),
    );
    for (const file of theirs) {
      this.put({ ...file, isWhole: false });
    }
    return theirs;
  }
}
