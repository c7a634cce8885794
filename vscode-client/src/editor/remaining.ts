// What is left of turns' changes to files while the user undoes them in editors, and afterwards. Nothing here
// knows of VS Code.

import type { Size } from "./changed-text.ts";

/** As much as is used of a changed file: what turned it into what it is, and how much that is. */
interface Changed {
  readonly turns: ReadonlyArray<{
    readonly sessionId: string;
    readonly turn: string;
    readonly path: string;
  }>;
  readonly whose?: Changed["turns"];
  readonly kept?: readonly unknown[];
  readonly text: { readonly size: Size | undefined };
}

/** What is left of what a turn changed in a file, whose path is as the server names it. */
export interface Remaining extends Size {
  readonly sessionId: string;
  readonly runId: string;
  readonly path: string;
}

const MOST = 200; // that are kept, the newest

/** It is known where one turn changed a file, and where nothing is left. */
export class RemainingChanges {
  readonly #all = new Map<string, Remaining>();
  readonly #servers = new Set<string>(); // runs that the server undid, or redid

  constructor(kept: readonly Remaining[]) {
    for (const each of kept) {
      this.#all.set(keyOf(each), each);
    }
  }

  get all(): readonly Remaining[] {
    return [...this.#all.values()].slice(-MOST);
  }

  /** A file is another one than before. `whose` changes are in it is known also while none waits. */
  follow({ turns, whose = turns, kept = [], text }: Changed): void {
    const { size } = text;
    if (size && (isNothing(size) || (whose.length === 1 && kept.length === 0))) {
      this.#put(whose, size);
    } else if (size) {
      this.unknown({ whose });
    }
  }

  /** What is left of these in a file cannot be told any more. */
  unknown({ whose = [] }: Pick<Changed, "whose">): void {
    for (const { turn, path } of whose) {
      this.#all.delete(keyOf({ runId: turn, path }));
    }
  }

  /** The server undid or redid something of a session: it tells itself what became of that. */
  leave(sessionId: string, runs: readonly string[]): void {
    for (const each of [...this.#all.values()]) {
      if (runs.includes(each.runId) || (each.sessionId === sessionId && isNothing(each))) {
        this.#all.delete(keyOf(each));
        this.#servers.add(each.runId);
      }
    }
    for (const runId of runs) {
      this.#servers.add(runId);
    }
  }

  #put(turns: Changed["turns"], { added, removed }: Size): void {
    for (const { sessionId, turn: runId, path } of turns) {
      if (!this.#servers.has(runId)) {
        const each = { sessionId, runId, path, added, removed };
        this.#all.set(keyOf(each), each);
      }
    }
  }
}

/** Whether all was undone. */
export function isNothing({ added, removed }: Size): boolean {
  return added + removed === 0;
}

function keyOf({ runId, path }: Pick<Remaining, "runId" | "path">): string {
  return `${runId} ${path}`;
}
