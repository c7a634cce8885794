// What the panel shows, as plain values: the reducers make it, the components draw it.

import type { Chip, Completion, Queued, Situation, UndoneFile } from "../../src/panel/messages.ts";
import type {
  Answer,
  BackgroundJob,
  Citation,
  Correction,
  EditPlan,
  Fact,
  FilesChangedEvent,
  FoundPlace,
  NoticeEvent,
  PermissionRequest,
  PlannedTask,
  PreviewAnswer,
  Question,
  ReviewRequest,
  RunFigures,
  RunState,
  SessionInfo,
  Todo,
  UncitedClaim,
  UnsavedFile,
  Usage,
} from "../../src/wire.ts";

/** A citation of a turn; its place is one in the text of this `reply` of the model. */
export interface Found extends Citation {
  readonly reply: number;
}

/** A sentence that cites nothing: its place in the text of this `reply`, in the server's characters. */
export interface Uncited extends UncitedClaim {
  readonly reply: number;
}

/** Markdown of the answer; `reply` counts the model's replies within the turn. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly reply: number;
}

/** The model's thinking, summarised. */
export interface ThinkingPart {
  readonly kind: "thinking";
  readonly text: string;
  readonly reply: number;
}

/** What a call gave, or why that is not known. It is data. */
export interface Output {
  readonly text: string;
  readonly live: boolean;
  readonly problem: string;
}

/** A tool call; `finished` is null while it runs, and for good if its run ended before it did. */
export interface ToolPart {
  readonly kind: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What is shown in their place; "" for nothing. */
  readonly about: string;
  /** What it gave: the end of it while it runs; null where that is not known here. */
  readonly output: Output | null;
  /** A sub-agent does it, and its card shows it. */
  readonly delegated: boolean;
  readonly finished: {
    readonly summary: string;
    readonly error: boolean;
    readonly unsuccessful: boolean;
    readonly milliseconds: number;
    readonly places: readonly FoundPlace[];
    /** What the user answered to its question, "" for no answer; null of other calls. */
    readonly answer: string | null;
  } | null;
}

/** An edit, and what became of it. */
export interface EditPart {
  readonly kind: "edit";
  readonly plan: EditPlan;
  readonly settled: {
    readonly applied: boolean;
    readonly note: string;
    /** The ids of the hunks that were not applied, although others were. */
    readonly leftOut: readonly string[];
  } | null;
}

/** The model's list of steps; a turn has one, which changes in its place. */
export interface TodoPart {
  readonly kind: "todo";
  readonly steps: readonly Todo[];
}

/** The orchestrator's plan; a turn has one, which changes in its place. */
export interface PlanPart {
  readonly kind: "plan";
  readonly tasks: readonly PlannedTask[];
}

/** A sub-agent. */
export interface AgentPart {
  readonly kind: "agent";
  readonly agentId: string;
  readonly name: string;
  readonly task: string;
  readonly model: string;
  /** ISO 8601. */
  readonly beganAt: string;
  readonly doing: string;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly finished: {
    readonly summary: string;
    readonly partial: string;
    readonly error: boolean;
    readonly citations: readonly Citation[];
    readonly milliseconds: number;
  } | null;
}

/** Something the user should know. */
export interface NoticePart {
  readonly kind: "notice";
  readonly message: string;
  readonly about: NoticeEvent["about"];
}

/** What the user said while the turn was on, where the model was told. */
export interface SaidPart {
  readonly kind: "said";
  readonly text: string;
  readonly chips: readonly Chip[];
}

/** One thing after another in a turn. */
export type Part =
  | TextPart
  | ThinkingPart
  | ToolPart
  | EditPart
  | TodoPart
  | PlanPart
  | AgentPart
  | NoticePart
  | SaidPart;

/** How far a turn is; `waiting` until the server has begun with it. */
export type Phase = "waiting" | "running" | "finished" | "failed" | "cancelled";

/** A question and all that came of it. */
export interface Turn {
  readonly runId: string;
  readonly question: string;
  /** What stands in the place of a question whose words are ours; "" for the user's own. */
  readonly shown: string;
  readonly chips: readonly Chip[];
  readonly model: string;
  readonly offline: boolean;
  readonly phase: Phase;
  /** ISO 8601; "" until the server has begun with it. */
  readonly beganAt: string;
  /** Why it ended: of a finished run the wire's `stop`. */
  readonly stop: string;
  /** What to do about a failure. */
  readonly message: string;
  readonly parts: readonly Part[];
  readonly citations: readonly Found[];
  readonly uncited: readonly Uncited[];
  readonly corrections: readonly Correction[];
  readonly facts: readonly Fact[];
  /** The files that it changed; null if it changed none. */
  readonly changed: Pick<FilesChangedEvent, "files" | "more"> | null;
  readonly state: { readonly name: RunState; readonly detail: string } | null;
  /** Of all requests so far, and of the newest one: the latter is what fills the context. */
  readonly usage: Usage;
  readonly last: Usage | null;
  readonly answer: Answer | null;
  /** What it took, of a turn that was resumed: its answer is not known. */
  readonly figures: RunFigures | null;
  /** What it changed in files is taken back. */
  readonly undone: boolean;
  /** The beginning was not received. */
  readonly partial: boolean;
  readonly reply: number;
  readonly seq: number;
}

/** What the user is asked. */
export type Ask =
  | ({ readonly kind: "permission"; readonly request: PermissionRequest } & InParts)
  | { readonly kind: "question"; readonly id: string; readonly question: Question }
  | ({ readonly kind: "review"; readonly plan: ReviewRequest } & InParts);

/** What may be taken in parts; the ids of those that are left out. */
interface InParts {
  readonly id: string;
  readonly leftOut: ReadonlySet<string>;
}

/** The session that something is asked in; its id is empty for what no session asks. */
export function askerOf(ask: Ask): { readonly sessionId: string; readonly sessionTitle: string } {
  switch (ask.kind) {
    case "permission":
      return ask.request;
    case "question":
      return ask.question;
    case "review":
      return ask.plan;
  }
}

/** What may stand at the cursor; `incomplete`: there may be more a moment later. */
export interface Completions {
  readonly number: number;
  readonly items: readonly Completion[];
  readonly incomplete: boolean;
}

/** All of it. */
export interface PanelState {
  readonly situation: Situation;
  readonly turns: readonly Turn[];
  readonly asks: readonly Ask[];
  /** Files that were taken back alone; a turn that is undone whole says so itself. */
  readonly filesUndone: readonly UndoneFile[];
  /** Files that are not on disk as runs edited them. */
  readonly unsaved: readonly UnsavedFile[];
  /** Commands in the background. */
  readonly jobs: readonly BackgroundJob[];
  /** What is to be asked after the run that is on; `held` says why it waits for the user. */
  readonly queue: { readonly messages: readonly Queued[]; readonly held: string };
  /** Null until they were listed. */
  readonly sessions: readonly SessionInfo[] | null;
  /** What they hold in their titles or questions; "" for all of them. */
  readonly sessionWords: string;
  readonly completions: Completions;
  /** What would go with the question that was looked at last. */
  readonly preview: { readonly number: number; readonly answer: PreviewAnswer | null };
  /** Whether a replay has arrived: until then nothing is known, and nothing is shown. */
  readonly known: boolean;
}

const NOTHING: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

/** A turn of which nothing is known but its run. */
export function newTurn(runId: string): Turn {
  return {
    runId,
    question: "",
    shown: "",
    chips: [],
    model: "",
    offline: false,
    phase: "waiting",
    beganAt: "",
    stop: "",
    message: "",
    parts: [],
    citations: [],
    uncited: [],
    corrections: [],
    facts: [],
    changed: null,
    state: null,
    usage: NOTHING,
    last: null,
    answer: null,
    figures: null,
    undone: false,
    partial: false,
    reply: 0,
    seq: -1,
  };
}

/** Whether anything may still come. */
export function isLive(turn: Turn): boolean {
  return turn.phase === "waiting" || turn.phase === "running";
}

/** Before the extension has said anything. */
export const EMPTY: PanelState = {
  situation: {
    server: { phase: "off", detail: "" },
    trusted: true,
    hasKey: true,
    mode: "ask",
    model: "",
    offline: false,
    session: null,
    sessionId: null,
    selection: null,
  },
  turns: [],
  asks: [],
  filesUndone: [],
  unsaved: [],
  jobs: [],
  queue: { messages: [], held: "" },
  sessions: null,
  sessionWords: "",
  completions: { number: 0, items: [], incomplete: false },
  preview: { number: 0, answer: null },
  known: false,
};
