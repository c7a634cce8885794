// The extension, as the panel sees it: messages go there, and a little state outlives the page.

import type { Chip, ToHost } from "../src/panel/messages.ts";

/** An edit of an earlier question: its run, and the words and chips that the edit put aside. */
export interface Edited extends Draft {
  readonly runId: string;
}

/** What was being written, and what it is about. */
export interface Draft {
  readonly draft: string;
  readonly chips: readonly Chip[];
}

/** What is in the input in one session. */
export interface InInput extends Draft {
  readonly edited: Edited | null;
}

/** What was typed into one field, or chosen beside it. */
export type Written = string | null | readonly string[];

/** By the id of a card or of a message, and there by the field. */
export type AllWritten = Readonly<Record<string, Readonly<Record<string, Written>>>>;

/** What is kept while the panel is hidden or reloaded; all else comes from `replay`. */
export interface Kept extends Draft {
  /** The session that this is written in; "": it is still to begin; null: that is not known. */
  readonly draftOf: string | null;
  /** What was being written in other sessions, by their ids. */
  readonly drafts: Readonly<Record<string, InInput>>;
  /** The earlier question that is edited now, and what was in the input before. */
  readonly edited: Edited | null;
  /** What was typed elsewhere than into the input. */
  readonly written: AllWritten;
  /** The session of an editor tab, for the extension: it is given what was kept. */
  readonly sessionId: string | null;
  /** The turn at the upper edge and how far into it, in pixels; null at the end. */
  readonly scroll: { readonly runId: string; readonly offset: number } | null;
}

interface Api {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Api;

const api = acquireVsCodeApi();
let kept: Kept = read(api.getState());

/** Tell the extension. */
export function tell(message: ToHost): void {
  api.postMessage(message);
}

/** What was kept. */
export function recall(): Kept {
  return kept;
}

/** Keep this as well. */
export function keep(change: Partial<Kept>): void {
  kept = { ...kept, ...change };
  api.setState(kept);
}

function read(state: unknown): Kept {
  const nothing: Kept = {
    draft: "",
    chips: [],
    draftOf: null,
    drafts: {},
    edited: null,
    written: {},
    sessionId: null,
    scroll: null,
  };
  return typeof state === "object" && state !== null ? { ...nothing, ...state } : nothing;
}
