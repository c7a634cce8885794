// Which files runs change, and whether the user decided about that beforehand, read off their events.
// Nothing here knows of VS Code.

import { fileURLToPath } from "node:url";
import type { Event } from "../wire.ts";

/** A turn that changed a file. */
export interface ChangingTurn {
  readonly sessionId: string;
  readonly turn: string;
  readonly path: string;
}

/** `tell` gets each turn with an absolute path, perhaps more than once, once the file is changed. */
export class ChangingTurns {
  readonly #sessions = new Map<string, string>(); // by run, while it is on
  readonly #planned = new Map<string, readonly string[]>(); // paths, by the edit's id
  readonly #reviewed = new Map<string, string>(); // sessions, by the path of an edit to come

  constructor(private readonly tell: (turn: ChangingTurn, isReviewed: boolean) => void) {}

  /** The user decides about an edit of a session, before it is made. */
  review(sessionId: string, hunks: ReadonlyArray<{ readonly path: string }>): void {
    for (const path of pathsOf(hunks)) {
      this.#reviewed.set(path, sessionId);
    }
  }

  /** Whether the edit of the file that is being made was decided about. */
  isReviewed(path: string): boolean {
    return this.#reviewed.has(path);
  }

  /** Whether the run may change something still. */
  isOn(turn: string): boolean {
    return this.#sessions.has(turn);
  }

  /** Whether any run may. */
  get areOn(): boolean {
    return this.#sessions.size > 0;
  }

  /** An event of a run. */
  told(event: Event): void {
    const { runId } = event;
    switch (event.kind) {
      case "run.started":
        this.#sessions.set(runId, event.sessionId);
        this.#forget(""); // of edits that no run makes
        break;
      case "edit.proposed":
        this.#planned.set(event.plan.id, pathsOf(event.plan.hunks));
        break;
      case "edit.settled":
        this.#settled(runId, event.planId, event.applied);
        break;
      case "files.changed":
        for (const { uri } of event.files.filter(({ change }) => change !== "deleted")) {
          this.#changed(runId, fileURLToPath(uri), false);
        }
        break;
      case "run.finished":
      case "run.failed":
      case "run.cancelled":
        this.#over(runId);
        break;
    }
  }

  #settled(runId: string, planId: string, isApplied: boolean): void {
    for (const path of this.#planned.get(planId) ?? []) {
      const isReviewed = this.#reviewed.delete(path);
      if (isApplied) {
        this.#changed(runId, path, isReviewed);
      }
    }
    this.#planned.delete(planId);
  }

  #changed(turn: string, path: string, isReviewed: boolean): void {
    const sessionId = this.#sessions.get(turn);
    if (sessionId !== undefined) {
      this.tell({ sessionId, turn, path }, isReviewed);
    }
  }

  #over(runId: string): void {
    const sessionId = this.#sessions.get(runId);
    this.#sessions.delete(runId);
    this.#forget(sessionId);
  }

  #forget(sessionId: string | undefined): void {
    for (const [path, asked] of this.#reviewed) {
      if (asked === sessionId) {
        this.#reviewed.delete(path);
      }
    }
  }
}

function pathsOf(hunks: ReadonlyArray<{ readonly path: string }>): readonly string[] {
  return [...new Set(hunks.map(({ path }) => path))];
}
