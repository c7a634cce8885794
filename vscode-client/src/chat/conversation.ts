// A conversation as this window knows it.

import type { OnLines } from "../lines.ts";
import { attachedChips } from "../panel/attached.ts";
import type { Asked } from "../panel/messages.ts";
import type { Event, ResumedSession, RunStartedEvent, SessionInfo } from "../wire.ts";
import { Transcript } from "./transcript.ts";

/** It has an `id` from its first run on. `asked` is what was asked in this window. */
export class Conversation {
  readonly asked: Asked[] = [];
  /** The runs whose changes to files are taken back now. */
  undone: readonly string[] = [];

  constructor(
    public id: string | undefined = undefined,
    public info: SessionInfo | null = null,
    readonly transcript: Transcript = new Transcript(),
  ) {}

  /** As the server has kept it. */
  static resumed({ session, events, undone }: ResumedSession): Conversation {
    const conversation = new Conversation(session.id, session, new Transcript(events));
    conversation.undone = undone.map(({ turn }) => turn);
    return conversation;
  }

  /** Whether a run is under way: it takes one at a time. */
  get busy(): boolean {
    return this.transcript.running.length > 0;
  }

  /** The last question, with what went with it. */
  get last(): Asked | undefined {
    const runId = this.transcript.events.findLast(isStart)?.runId;
    return runId === undefined ? undefined : this.questionOf(runId);
  }

  /** What was asked in a run: as the server tells it, or as it was asked if that was refused. */
  questionOf(runId: string): Asked | undefined {
    const started = this.transcript.events.filter(isStart).find((each) => each.runId === runId);
    if (started && this.transcript.knows(runId)) {
      return { runId, question: started.question, chips: attachedChips(started.attachments) };
    }
    return this.asked.find((each) => each.runId === runId);
  }

  /** The action on lines that a refused run was; none for a question, or if its words were changed. */
  refusedAction(runId: string | null, question: string): OnLines | undefined {
    const asked = this.asked.find((each) => each.runId === runId);
    return asked?.question === question ? asked.action : undefined;
  }

  /** A run and all that followed it. */
  runsFrom(runId: string): string[] {
    const runs = this.transcript.events.filter(isStart).map((event) => event.runId);
    return runs.includes(runId) ? runs.slice(runs.indexOf(runId)) : [];
  }

  /** A run has begun: what it was asked instead of goes. */
  makeRoomFor(runId: string): void {
    this.cutFrom(this.asked.find((each) => each.runId === runId)?.insteadOf ?? null);
  }

  /** Forget a run, and all that followed it. */
  cutFrom(runId: string | null): void {
    const gone = runId === null ? [] : this.runsFrom(runId);
    const kept = this.asked.filter((each) => !gone.includes(each.runId));
    this.asked.splice(0, this.asked.length, ...kept);
    if (runId !== null) {
      this.transcript.cutFrom(runId);
    }
  }
}

function isStart(event: Event): event is RunStartedEvent {
  return event.kind === "run.started";
}
