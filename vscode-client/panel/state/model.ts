// What the panel shows, as plain values: the reducers make it, the components draw it.

import type { Chip, Completion, Situation } from "../../src/panel/messages.ts";
import type {
  Answer,
  EditPlan,
  FoundPlace,
  PermissionRequest,
  Question,
  ReviewRequest,
  SessionInfo,
  Todo,
  Usage,
} from "../../src/wire.ts";
import type { CheckedCitation, Fact, OrchestratorState, Task } from "../later.ts";

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

/** A tool call; `finished` is null while it runs, and for good if its run ended before it did. */
export interface ToolPart {
  readonly kind: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly progress: string;
  /** A sub-agent does it, whose card tells of it. */
  readonly delegated: boolean;
  readonly finished: {
    readonly summary: string;
    readonly error: boolean;
    readonly unsuccessful: boolean;
    readonly milliseconds: number;
    readonly places: readonly FoundPlace[];
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
  readonly tasks: readonly Task[];
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
    readonly citations: readonly CheckedCitation[];
    readonly milliseconds: number;
  } | null;
}

/** Something the user should know. */
export interface NoticePart {
  readonly kind: "notice";
  readonly message: string;
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
  | NoticePart;

/** How far a turn is; `waiting` until the server has begun with it. */
export type Phase = "waiting" | "running" | "finished" | "failed" | "cancelled";

/** A question and all that came of it. */
export interface Turn {
  readonly runId: string;
  readonly question: string;
  readonly chips: readonly Chip[];
  readonly model: string;
  readonly offline: boolean;
  readonly phase: Phase;
  /** Why it ended: of a finished run the wire's `stop`. */
  readonly stop: string;
  /** What to do about a failure. */
  readonly message: string;
  readonly parts: readonly Part[];
  readonly citations: readonly CheckedCitation[];
  readonly facts: readonly Fact[];
  readonly state: { readonly name: OrchestratorState; readonly detail: string } | null;
  /** Of all requests so far, and of the newest one: the latter is what fills the context. */
  readonly usage: Usage;
  readonly last: Usage | null;
  readonly answer: Answer | null;
  /** What it changed in files is taken back. */
  readonly undone: boolean;
  /** The beginning was not received. */
  readonly partial: boolean;
  readonly reply: number;
  readonly seq: number;
}

/** What the user is asked. */
export type Ask =
  | { readonly kind: "permission"; readonly id: string; readonly request: PermissionRequest }
  | { readonly kind: "question"; readonly id: string; readonly question: Question }
  | { readonly kind: "review"; readonly id: string; readonly plan: ReviewRequest };

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
  /** Null until they were listed. */
  readonly sessions: readonly SessionInfo[] | null;
  readonly completions: Completions;
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
    chips: [],
    model: "",
    offline: false,
    phase: "waiting",
    stop: "",
    message: "",
    parts: [],
    citations: [],
    facts: [],
    state: null,
    usage: NOTHING,
    last: null,
    answer: null,
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
  sessions: null,
  completions: { number: 0, items: [], incomplete: false },
  known: false,
};
