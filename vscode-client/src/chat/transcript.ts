// What a conversation has shown so far, to show it again: nothing here knows of VS Code.

import type {
  Answer,
  CitationCheckedEvent,
  Event,
  RunStartedEvent,
  ToolOutputEvent,
} from "../wire.ts";

const TERMINAL: ReadonlySet<Event["kind"]> = new Set([
  "run.finished",
  "run.failed",
  "run.cancelled",
] as const);

/**
 * The events of its runs in their order, neighbouring pieces of text as one, and the answers. Of what
 * calls give it keeps the newest while their run is on; then the session's record has it.
 */
export class Transcript {
  #events: Event[] = [];
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

  /** Whether a run has ended. */
  isOver(runId: string): boolean {
    return !this.#open.has(runId) && this.has(runId);
  }

  /** The next event; a citation's after its run's end takes the place of the one before. */
  add(event: Event): void {
    if (event.kind === "citation" && this.isOver(event.runId)) {
      this.#addLate(event);
      return;
    }
    if (event.kind === "tool.output") {
      this.#dropOutput(event.runId, ({ callId }) => callId === event.callId);
    }
    const merged = joined(this.#events.at(-1), event);
    if (merged) {
      this.#events[this.#events.length - 1] = merged;
    } else {
      this.#events.push(event);
    }
    if (TERMINAL.has(event.kind)) {
      this.#open.delete(event.runId);
      this.#dropOutput(event.runId, ({ live }) => !live); // no record has that of a call cut short
    } else {
      this.#open.set(event.runId, event.seq);
    }
  }

  #dropOutput(runId: string, isIt: (event: ToolOutputEvent) => boolean): void {
    this.#events = this.#events.filter(
      (each) => each.kind !== "tool.output" || each.runId !== runId || !isIt(each),
    );
  }

  #addLate(event: CitationCheckedEvent): void {
    const before = this.#events.findLastIndex(
      (each) => each.kind === "citation" && isOfSame(each, event),
    );
    if (before >= 0) {
      this.#events.splice(before, 1);
    }
    this.#events.push(event);
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
    if (this.isOver(runId)) {
      return [];
    }
    const last = this.#open.get(runId);
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

function isOfSame(one: CitationCheckedEvent, other: CitationCheckedEvent): boolean {
  return (
    one.runId === other.runId &&
    one.citation.target === other.citation.target &&
    one.citation.firstLine === other.citation.firstLine &&
    one.citation.lastLine === other.citation.lastLine &&
    one.citation.at === other.citation.at
  );
}

/** Two pieces of the same text or output, as one with the `seq` of the later; else undefined. */
export function joined(one: Event | undefined, other: Event): Event | undefined {
  if (
    (one?.kind === "text.delta" || one?.kind === "thinking.delta") &&
    (other.kind === "text.delta" || other.kind === "thinking.delta") &&
    one.kind === other.kind &&
    one.runId === other.runId
  ) {
    return { ...other, text: one.text + other.text };
  }
  if (one?.kind === "tool.output" && other.kind === "tool.output" && one.callId === other.callId) {
    return other; // it takes the place of the earlier one
  }
  return undefined;
}
