// What the chat panel and the extension say to each other; both are held to it by the compiler.

import type { Remaining } from "../editor/remaining.ts";
import type { OnLines } from "../lines.ts";
import type {
  Answer,
  Attachment,
  BackgroundJob,
  CompletionItem,
  EditPlan,
  Event,
  Mode,
  PermissionAnswer,
  PermissionRequest,
  PlanChoice,
  PreviewAnswer,
  Question,
  QuestionAnswer,
  Review,
  ReviewRequest,
  RunFigures,
  SessionInfo,
  UnsavedFile,
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
  /** What the session's window holds, by layer, as it was asked for last. */
  readonly layers?: readonly WindowLayer[];
  /** The workspace's folders on disk: paths below them are shown without them. */
  readonly roots?: readonly string[];
  /** The runs of whose changes some wait to be kept or undone. */
  readonly waiting?: readonly string[];
  /** What is left of the session's changes to files, where it may be less than the turns did. */
  readonly remaining?: readonly Remaining[];
  /** How many runs are on in this window: at the end of one a list of sessions is another one. */
  readonly running?: number;
  /** The user would rather not start the plan that the last run ended with. */
  readonly planLeft?: boolean;
}

/** A layer of the window, and about how many tokens it takes. */
export interface WindowLayer {
  readonly name: string;
  readonly tokens: number;
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
export type Completion = CompletionItem;

/** A question as it was asked in this window. */
export interface Asked {
  readonly runId: string;
  readonly question: string;
  readonly chips: readonly Chip[];
  /** It was an action on lines, which the server words. */
  readonly action?: OnLines;
  /** It takes the place of that run and of what followed, once it has begun. */
  readonly insteadOf?: string;
  /** It was sent by itself, from the queue: the user may be reading elsewhere. */
  readonly queued?: boolean;
}

/** A message for the end of the run that is on; one that is steering goes to the model meanwhile. */
export interface Queued {
  readonly id: string;
  readonly question: string;
  readonly chips: readonly Chip[];
  readonly plan?: PlanChoice;
  readonly state: "waiting" | "editing" | "steering";
}

/** A file of a turn whose changes the undo `by` took back, while others of the turn stand. */
export interface UndoneFile {
  readonly runId: string;
  readonly path: string;
  readonly by: string;
}

/** From the extension to the panel. */
export type ToPanel =
  | { readonly type: "situation"; readonly situation: Situation }
  /**
   * The transcript starts over with these; `answers` are of the runs whose answer is known, `asked`
   * are the questions that were asked here, with their chips, `undone` as below. What waits for the user's answer stays.
   * `restoring`: the session that was shown before is still to come, in another replay.
   * `wordsOf`: what was being written in that session, which was deleted, goes on in this one.
   */
  | {
      readonly type: "replay";
      /** The session that it is of; null: none was begun. */
      readonly sessionId: string | null;
      readonly events: readonly Event[];
      readonly answers: readonly Answer[];
      readonly asked?: readonly Asked[];
      readonly undone?: readonly string[];
      readonly unsaved?: readonly UnsavedFile[];
      /** What runs took that another server, or another window, told of. */
      readonly figures?: readonly RunFigures[];
      readonly restoring?: boolean;
      readonly wordsOf?: string;
    }
  /** All runs of the conversation whose changes to files are taken back now. */
  | { readonly type: "undone"; readonly runs: readonly string[] }
  /** All files that are not on disk as the conversation's runs edited them. */
  | { readonly type: "unsaved"; readonly files: readonly UnsavedFile[] }
  /** All such files of the conversation as they are now. */
  | { readonly type: "filesUndone"; readonly files: readonly UndoneFile[] }
  /** A question was asked, here or by a command. */
  | { readonly type: "begun"; readonly asked: Asked }
  | { readonly type: "events"; readonly events: readonly Event[] }
  | { readonly type: "answer"; readonly answer: Answer }
  /** What a call of an earlier run gave, or why that is not known. */
  | {
      readonly type: "toolOutput";
      readonly callId: string;
      readonly text: string;
      readonly problem: string;
    }
  /** All background jobs as they are now. */
  | { readonly type: "jobs"; readonly jobs: readonly BackgroundJob[] }
  | { readonly type: "failed"; readonly runId: string; readonly message: string }
  /** All messages that wait in the conversation; `held` says why they wait for the user, "" if not. */
  | { readonly type: "queue"; readonly messages: readonly Queued[]; readonly held: string }
  /** What waits for the user's answer, in any session; known ones are not added twice. */
  | { readonly type: "permission"; readonly id: string; readonly request: PermissionRequest }
  | { readonly type: "question"; readonly id: string; readonly question: Question }
  | { readonly type: "review"; readonly id: string; readonly plan: ReviewRequest }
  /** The parts of an edit that waits which the user leaves out: all of them, by their ids. */
  | { readonly type: "leftOut"; readonly id: string; readonly parts: readonly string[] }
  /** What was asked of the user needs no answer any more. */
  | { readonly type: "withdrawn"; readonly id: string }
  /** The user wants to see something asked: show its card, with nothing on it pressed by Enter. */
  | { readonly type: "focusAsk"; readonly id: string }
  /** What would go with a question; null where it cannot be known. */
  | { readonly type: "preview"; readonly number: number; readonly answer: PreviewAnswer | null }
  /** `incomplete`: there may be more a moment later. */
  | {
      readonly type: "completions";
      readonly number: number;
      readonly items: readonly Completion[];
      readonly incomplete: boolean;
    }
  /** Those whose title or questions hold the words; all of them without any. */
  | {
      readonly type: "sessions";
      readonly sessions: readonly SessionInfo[];
      readonly words: string;
    }
  /** The session that is to come back with the panel when the window is reloaded. */
  | { readonly type: "keep"; readonly sessionId: string | null }
  /** The session that is shown goes on in another panel: a `handedOver` follows. */
  | { readonly type: "handOver" }
  /** Put words or chips into the input, and the cursor behind them. */
  | { readonly type: "compose"; readonly text: string; readonly chips: readonly Chip[] };

/** From the panel to the extension. */
export type ToHost =
  | { readonly type: "ready" }
  /** The user turned to it. */
  | { readonly type: "focused" }
  /** What was being written in a session that goes on in another panel. */
  | { readonly type: "handedOver"; readonly text: string; readonly chips: readonly Chip[] }
  | {
      readonly type: "ask";
      readonly runId: string;
      readonly question: string;
      readonly attachments: readonly Attachment[];
      /** What the attachments were shown as, for `replay`. */
      readonly chips: readonly Chip[];
      /** Ask this again from here: that run and what followed leave the conversation. */
      readonly insteadOf: string | null;
      /** Whether it is answered by tasks. */
      readonly plan?: PlanChoice;
      /** A session that it begins works in a worktree of its own. */
      readonly worktree?: boolean;
    }
  /** A message while a run is on: for its end, or, if it steers, for the model at once. */
  | {
      readonly type: "queue";
      readonly message: Omit<Queued, "state">;
      readonly steers: boolean;
    }
  /** `send`: before all others. While one is edited, it is not sent. */
  | {
      readonly type: "queued";
      readonly id: string;
      readonly act: "remove" | "up" | "down" | "edit" | "send" | "takeBack";
    }
  /** The end of an edit; without a question it is as it was. */
  | { readonly type: "requeued"; readonly id: string; readonly question: string | null }
  /** What waits for the user is to be sent. */
  | { readonly type: "sendQueued" }
  | { readonly type: "stop"; readonly runId: string }
  | { readonly type: "stopAgent"; readonly agentId: string }
  /** Show all that was said in a sub-agent. */
  | { readonly type: "showAgent"; readonly agentId: string }
  /** An answer is for all parts but those that are left out: the extension knows which. */
  | { readonly type: "permissionAnswer"; readonly id: string; readonly answer: PermissionAnswer }
  | { readonly type: "questionAnswer"; readonly id: string; readonly answer: QuestionAnswer }
  | { readonly type: "reviewAnswer"; readonly id: string; readonly answer: Review }
  /** Leave a part of an edit that waits out, or take it after all; a `leftOut` follows. */
  | {
      readonly type: "leaveOut";
      readonly id: string;
      readonly part: string;
      readonly out: boolean;
    }
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
  /** Say something in a notification. */
  | { readonly type: "inform"; readonly text: string }
  | { readonly type: "openDiff"; readonly plan: EditPlan }
  /** The output of a call is wanted; a `toolOutput` follows. */
  | { readonly type: "toolOutput"; readonly callId: string }
  /** Show an output in an editor. */
  | { readonly type: "openOutput"; readonly name: string; readonly text: string }
  | { readonly type: "showJob"; readonly job: string }
  | { readonly type: "stopJob"; readonly job: string }
  /** Show what a turn changed in a file. */
  | { readonly type: "openChange"; readonly runId: string; readonly path: string }
  /** Show all that something asked is about, in an editor. */
  | { readonly type: "openAsked"; readonly id: string }
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "complete"; readonly number: number; readonly text: string }
  /** What would go with this question? */
  | {
      readonly type: "preview";
      readonly number: number;
      readonly question: string;
      readonly attachments: readonly Attachment[];
    }
  | { readonly type: "dropped"; readonly uris: readonly string[] }
  /** A picture that was pasted; it comes back as a chip in a `compose`. */
  | { readonly type: "pasted"; readonly mime: string; readonly base64: string }
  | { readonly type: "copy"; readonly text: string }
  /** Take back what a turn changed, or only in some files; the extension asks what there is to ask. */
  | { readonly type: "undoTurn"; readonly runId: string; readonly paths?: readonly string[] }
  /** Keep all that the session's runs have changed: it is marked in editors no more. */
  | { readonly type: "keepAll" }
  /** Save open documents, by their URIs. */
  | { readonly type: "save"; readonly uris: readonly string[] }
  /** Bring back what an undo took. */
  | { readonly type: "redoTurn"; readonly runId: string }
  | { readonly type: "setModel"; readonly model: string }
  /** Show what the user may say about trusting the workspace. */
  | { readonly type: "manageTrust" }
  /** Show the view with what the model is told, and what waits to be adopted. */
  | { readonly type: "showSources" }
  | { readonly type: "listSessions"; readonly words: string }
  | { readonly type: "newSession" }
  | { readonly type: "resumeSession"; readonly id: string }
  /** Have who has it open give it up, and show it. */
  | { readonly type: "takeOver"; readonly id: string }
  | { readonly type: "renameSession"; readonly id: string; readonly title: string }
  /** The extension asks whether it is meant; after this, as after a new title, `sessions` follows. */
  | { readonly type: "deleteSession"; readonly id: string }
  /** Take what a session changed in its worktree into the user's branch, or throw it away. */
  | { readonly type: "mergeWorktree"; readonly id: string }
  | { readonly type: "discardWorktree"; readonly id: string }
  | { readonly type: "setMode"; readonly mode: Mode }
  /** Carry out the plan that the last turn ended with. */
  | { readonly type: "startPlan"; readonly mode: Mode }
  /** Nothing is to be asked any more about that plan. */
  | { readonly type: "leavePlan" }
  /** What should be different in the plan, in the user's words. */
  | { readonly type: "changePlan"; readonly words: string }
  /** One of the palette's commands, such as `glossator.setApiKey`. */
  | { readonly type: "command"; readonly command: string };
