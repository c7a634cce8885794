// What a conversation has shown so far, to show it again: nothing here knows of VS Code.

import type { Answer, Event, RunStartedEvent } from "../wire.ts";

const TERMINAL: ReadonlySet<Event["kind"]> = new Set([
  "run.finished",
  "run.failed",
  "run.cancelled",
] as const);

/** The events of its runs in their order, neighbouring pieces of text as one, and the answers. */
export class Transcript {
  readonly #events: Event[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #refused = new Set<string>();
  readonly #open = new Map<string, number>(); // runs that have not ended -> the last `seq`

  constructor(events: readonly Event[] = []) {
    for (const event of events) {
      this.add(event);
    }
  }

  /** All of it. */
  get events(): readonly Event[] {
    return this.#events;
  }

  /** Of the runs whose answer is known. */
  get answers(): Answer[] {
    return [...this.#answers.values()];
  }

  /** The runs that have not ended. */
  get running(): string[] {
    return [...this.#open.keys()];
  }

  /** The next event. */
  add(event: Event): void {
    const merged = joined(this.#events.at(-1), event);
    if (merged) {
      this.#events[this.#events.length - 1] = merged;
    } else {
      this.#events.push(event);
    }
    if (TERMINAL.has(event.kind)) {
      this.#open.delete(event.runId);
    } else {
      this.#open.set(event.runId, event.seq);
    }
  }

  /** The answer of a run. */
  settle(answer: Answer): void {
    this.#answers.set(answer.runId, answer);
  }

  /**
   * A run ended without saying so: its server is gone, or refused it before it began. Gives the
   * events that say it, already added; none if the run had ended by itself.
   */
  fail(started: Omit<RunStartedEvent, "kind" | "seq">, message: string): Event[] {
    const { runId } = started;
    const known = this.has(runId);
    const last = this.#open.get(runId);
    if (known && last === undefined) {
      return [];
    }
    const begin: Event[] = known ? [] : [{ ...started, kind: "run.started", seq: 0 }];
    const end: Event = { runId, kind: "run.failed", seq: (last ?? 0) + 1, message };
    if (!known) {
      this.#refused.add(runId);
    }
    for (const event of [...begin, end]) {
      this.add(event);
    }
    return [...begin, end];
  }

  /** Whether the server has sent events of a run; one that it refused is in no conversation. */
  knows(runId: string): boolean {
    return !this.#refused.has(runId) && this.has(runId);
  }

  /** Forget a run, and all that followed it. */
  cutFrom(runId: string): void {
    const at = this.#events.findIndex((event) => event.runId === runId);
    for (const event of at < 0 ? [] : this.#events.splice(at)) {
      this.#answers.delete(event.runId);
      this.#open.delete(event.runId);
    }
  }

  /** Whether anything of a run is here. */
  has(runId: string): boolean {
    return this.#events.some((event) => event.runId === runId);
  }
}

/** Two pieces of the same text, as one with the `seq` of the later; undefined for anything else. */
export function joined(one: Event | undefined, other: Event): Event | undefined {
  if (
    (one?.kind === "text.delta" || one?.kind === "thinking.delta") &&
    (other.kind === "text.delta" || other.kind === "thinking.delta") &&
    one.kind === other.kind &&
    one.runId === other.runId
  ) {
    return { ...other, text: one.text + other.text };
  }
  return undefined;
}
