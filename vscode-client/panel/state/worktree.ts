// A session's worktree in words.

import { BECAME, type SessionWorktree } from "../../src/wire.ts";

/** Whether nothing can be done in it any more. */
export function ended({ state }: SessionWorktree): boolean {
  return state !== "open";
}

/** Its branch, and what became of it. */
export function words({ branch, state }: SessionWorktree): string {
  return state === "open"
    ? branch
    : `${branch} was ${(BECAME as Readonly<Record<string, string>>)[state] ?? state}`;
}

/** How many files it changed, to follow its words; "" if that is not known: of `busy` ones it is not. */
export function counted({ changed, state }: SessionWorktree, busy: boolean): string {
  if (state !== "open" || changed === null || busy) {
    return "";
  }
  return changed === 1 ? ", 1\u00a0file" : `, ${changed}\u00a0files`;
}
