// What the chat panel and the extension say to each other; both are held to it by the compiler.

import type { OnLines } from "../lines.ts";
import type {
  Answer,
  Attachment,
  EditPlan,
  Event,
  Mode,
  PermissionAnswer,
  PermissionRequest,
  Question,
  QuestionAnswer,
  Review,
  ReviewRequest,
  SessionInfo,
} from "../wire.ts";

/** What is shown above and below the transcript. */
export interface Situation {
  readonly server: {
    readonly phase: "off" | "starting" | "ready" | "waiting" | "failed";
    readonly detail: string;
  };
  readonly trusted: boolean;
  readonly hasKey: boolean;
  readonly mode: Mode;
  readonly model: string;
  readonly offline: boolean;
  readonly session: SessionInfo | null;
  /** The session shown, known before it can be described; null: none was begun. */
  readonly sessionId: string | null;
  readonly selection: Chip | null;
  /** What may be chosen instead of `model`; without any the model is only shown. */
  readonly models?: readonly ModelChoice[];
  /** How many tokens a request of the model may take, where that is known. */
  readonly contextWindow?: number | null;
  /** The workspace's folders on disk: paths below them are shown without them. */
  readonly roots?: readonly string[];
}

/** A model that can be chosen. */
export interface ModelChoice {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

/** Something the question is about: a file, lines of it, or a picture. */
export interface Chip {
  readonly label: string;
  readonly attachment: Attachment;
}

/** One of the things that may stand after an `@` or a `/`. */
export interface Completion {
  readonly kind: "file" | "folder" | "symbol" | "diagnostics" | "terminal" | "git" | "command";
  readonly label: string;
  readonly detail: string;
  readonly insert: string;
}

/** A question as it was asked in this window. */
export interface Asked {
  readonly runId: string;
  readonly question: string;
  readonly chips: readonly Chip[];
  /** It was an action on lines, which the server words. */
  readonly action?: OnLines;
  /** It takes the place of that run and of what followed, once it has begun. */
  readonly insteadOf?: string;
}

/** From the extension to the panel. */
export type ToPanel =
  | { readonly type: "situation"; readonly situation: Situation }
  /**
   * The transcript starts over with these; `answers` are of the runs whose answer is known, `asked`
   * are the questions that were asked here, with their chips, `undone` as below. What waits for the user's answer stays.
   */
  | {
      readonly type: "replay";
      readonly events: readonly Event[];
      readonly answers: readonly Answer[];
      readonly asked?: readonly Asked[];
      readonly undone?: readonly string[];
    }
  /** All runs of the conversation whose changes to files are taken back now. */
  | { readonly type: "undone"; readonly runs: readonly string[] }
  /** A question was asked, here or by a command. */
  | { readonly type: "begun"; readonly asked: Asked }
  | { readonly type: "events"; readonly events: readonly Event[] }
  | { readonly type: "answer"; readonly answer: Answer }
  | { readonly type: "failed"; readonly runId: string; readonly message: string }
  /** What waits for the user's answer, in any session; known ones are not added twice. */
  | { readonly type: "permission"; readonly id: string; readonly request: PermissionRequest }
  | { readonly type: "question"; readonly id: string; readonly question: Question }
  | { readonly type: "review"; readonly id: string; readonly plan: ReviewRequest }
  /** What was asked of the user needs no answer any more. */
  | { readonly type: "withdrawn"; readonly id: string }
  /** The user wants to see something asked: show its card, with nothing on it pressed by Enter. */
  | { readonly type: "focusAsk"; readonly id: string }
  /** `incomplete`: there may be more a moment later. */
  | {
      readonly type: "completions";
      readonly number: number;
      readonly items: readonly Completion[];
      readonly incomplete: boolean;
    }
  | { readonly type: "sessions"; readonly sessions: readonly SessionInfo[] }
  /** Put words or chips into the input, and the cursor behind them. */
  | { readonly type: "compose"; readonly text: string; readonly chips: readonly Chip[] };

/** From the panel to the extension. */
export type ToHost =
  | { readonly type: "ready" }
  | {
      readonly type: "ask";
      readonly runId: string;
      readonly question: string;
      readonly attachments: readonly Attachment[];
      /** What the attachments were shown as, for `replay`. */
      readonly chips: readonly Chip[];
      /** Ask this again from here: that run and what followed leave the conversation. */
      readonly insteadOf: string | null;
    }
  | { readonly type: "stop"; readonly runId: string }
  | { readonly type: "stopAgent"; readonly agentId: string }
  /** Show all that was said in a sub-agent. */
  | { readonly type: "showAgent"; readonly agentId: string }
  | { readonly type: "permissionAnswer"; readonly id: string; readonly answer: PermissionAnswer }
  | { readonly type: "questionAnswer"; readonly id: string; readonly answer: QuestionAnswer }
  | { readonly type: "reviewAnswer"; readonly id: string; readonly answer: Review }
  | {
      readonly type: "open";
      readonly uri: string;
      readonly firstLine: number;
      readonly lastLine: number;
    }
  | {
      readonly type: "openPath";
      readonly path: string;
      readonly line: number;
      readonly lastLine?: number;
    }
  | { readonly type: "openDiff"; readonly plan: EditPlan }
  /** Show all that something asked is about, in an editor. */
  | { readonly type: "openAsked"; readonly id: string }
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "complete"; readonly number: number; readonly text: string }
  | { readonly type: "dropped"; readonly uris: readonly string[] }
  /** A picture that was pasted; it comes back as a chip in a `compose`. */
  | { readonly type: "pasted"; readonly mime: string; readonly base64: string }
  | { readonly type: "copy"; readonly text: string }
  /** Take back what a turn changed; the extension asks what there is to ask. */
  | { readonly type: "undoTurn"; readonly runId: string }
  /** Bring back what an undo took. */
  | { readonly type: "redoTurn"; readonly runId: string }
  | { readonly type: "setModel"; readonly model: string }
  /** Show what the user may say about trusting the workspace. */
  | { readonly type: "manageTrust" }
  | { readonly type: "listSessions" }
  | { readonly type: "newSession" }
  | { readonly type: "resumeSession"; readonly id: string }
  | { readonly type: "renameSession"; readonly id: string; readonly title: string }
  /** The extension asks whether it is meant; after this, as after a new title, `sessions` follows. */
  | { readonly type: "deleteSession"; readonly id: string }
  | { readonly type: "setMode"; readonly mode: Mode }
  /** Carry out the plan that the last turn ended with. */
  | { readonly type: "startPlan"; readonly mode: Mode }
  /** One of the palette's commands, such as `glossator.setApiKey`. */
  | { readonly type: "command"; readonly command: string };
