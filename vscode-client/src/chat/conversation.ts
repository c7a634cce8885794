// A conversation as this window knows it.

import type { OnLines } from "../lines.ts";
import { attachedChips } from "../panel/attached.ts";
import type { Asked } from "../panel/messages.ts";
import type {
  Event,
  ResumedSession,
  RunFigures,
  RunStartedEvent,
  SessionInfo,
  UnsavedFile,
} from "../wire.ts";
import { Queue } from "./queue.ts";
import { Transcript } from "./transcript.ts";

const STOPPED = "The run was stopped.";
const FAILED = "The run failed.";

/** It has an `id` from its first run on. `asked` is what was asked in this window. */
export class Conversation {
  readonly asked: Asked[] = [];
  /** The runs whose changes to files are taken back now. */
  undone: readonly string[] = [];
  /** The files that are not on disk as runs edited them. */
  unsaved: readonly UnsavedFile[] = [];
  /** What is to be asked after the run that is on. */
  queue = new Queue();
  /** Whether its session is to work in a worktree of its own, once it begins. */
  apart = false;
  /** The session that was shown before and deleted: what was being written there goes on here. */
  wordsOf: string | undefined;
  /** What the runs took that had ended when it was resumed. */
  figures: readonly RunFigures[] = [];

  constructor(
    public id: string | undefined = undefined,
    public info: SessionInfo | null = null,
    readonly transcript: Transcript = new Transcript(),
  ) {}

  /** As the server has kept it. */
  static resumed({ session, events, undone, figures, unsaved }: ResumedSession): Conversation {
    const conversation = new Conversation(session.id, session, new Transcript(events));
    conversation.undone = undone.map(({ turn }) => turn);
    conversation.figures = figures;
    conversation.unsaved = unsaved;
    return conversation;
  }

  /** The last question, with what went with it. */
  get last(): Asked | undefined {
    const runId = this.transcript.events.findLast(isStart)?.runId;
    return runId === undefined ? undefined : this.questionOf(runId);
  }

  /** What was asked in a run: as the server reports it, or as it was asked if that was refused. */
  questionOf(runId: string): Asked | undefined {
    const started = this.transcript.events.filter(isStart).find((each) => each.runId === runId);
    if (started && this.transcript.knows(runId)) {
      return { runId, question: started.question, chips: attachedChips(started.attachments) };
    }
    return this.asked.find((each) => each.runId === runId);
  }

  /** Whether both are one session: it may have been resumed since the other asked in it. */
  isSameAs(other: Conversation): boolean {
    return this === other || (this.id !== undefined && this.id === other.id);
  }

  /** How a run ended, "" if with an answer; undefined if it did not begin. */
  problemOf(runId: string): string | undefined {
    const of = this.transcript.events.filter((event) => event.runId === runId);
    const has = (kind: Event["kind"]) => of.some((event) => event.kind === kind);
    if (has("run.failed")) {
      return FAILED;
    }
    const otherwise = of.length > 0 ? "" : undefined;
    return has("run.cancelled") ? STOPPED : otherwise;
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
