// Actions on lines, as the chat and the commands speak of them.

import type { Diagnostic } from "./wire.ts";

/** What an action is about, as the server takes it. */
export interface Lines {
  readonly uri: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly diagnostics?: readonly Diagnostic[];
  readonly instruction?: string;
  readonly review?: boolean;
  readonly inPlace?: boolean;
  /** The innermost function or class around the first line is meant, as a whole. */
  readonly definition?: boolean;
}

/** The server's actions, and how the question is put in the chat until the server has worded it. */
export const QUESTIONS = {
  "glossator.explain": "Explain these lines.",
  "glossator.fix": "Fix these lines.",
  "glossator.edit": "Edit these lines.",
  "glossator.refactor": "Refactor these lines.",
  "glossator.document": "Document these lines.",
  "glossator.writeTests": "Write tests for these lines.",
  "glossator.exploreUsage": "Who uses these lines, and how?",
} as const;

/** One of them. */
export type LineAction = keyof typeof QUESTIONS;

/** An action, and the lines that it is about. */
export interface OnLines {
  readonly name: LineAction;
  readonly lines: Lines;
}
