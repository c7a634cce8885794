// A question on its way into a conversation, and what is new of one that is asked again.

import { sameChips } from "../panel/attached.ts";
import type { Asked } from "../panel/messages.ts";
import type { Attachment, PlanChoice } from "../wire.ts";

/** A question, as the panel or a command puts it. */
export interface Asking extends Pick<Asked, "runId" | "question" | "chips" | "queued"> {
  readonly attachments: readonly Attachment[];
  /** It takes the place of that run and of what followed, in the conversation that is shown. */
  readonly insteadOf?: string | null;
  /** Whether it is answered by tasks. */
  readonly plan?: PlanChoice;
  /** A session that it begins works in a worktree of its own. */
  readonly worktree?: boolean;
}

/**
 * Has the user choose what becomes of changes to files by runs that are to leave the conversation;
 * false: they are to stay.
 */
export type MayReplace = (sessionId: string, runs: readonly string[]) => Promise<boolean>;

/** What of a question differs from the one before: the server has the rest. */
export function changes(
  before: Pick<Asked, "question" | "chips"> | undefined,
  { question, chips, attachments }: Asking,
): { question?: string; attachments?: readonly Attachment[] } {
  return {
    ...(before?.question === question ? {} : { question }),
    ...(before && sameChips(before.chips, chips) ? {} : { attachments }),
  };
}
