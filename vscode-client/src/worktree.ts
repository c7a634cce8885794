// A session and its worktree in words.

import { labelled } from "./shown.ts";
import { BECAME, type SessionInfo, type SessionWorktree } from "./wire.ts";

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

/** As the panel's list has it: where it is open or what it does, its worktree, the words that were found. */
export function detailOf({ running, waits, elsewhere, worktree, found }: SessionInfo): string {
  const state = waits ? "waits for you" : running ? "running" : "";
  const tree =
    worktree && `$(git-branch) ${labelled(words(worktree))}${counted(worktree, running)}`;
  const parts = [elsewhere ? `open in ${labelled(elsewhere)}` : state, tree, labelled(found)];
  return parts.filter(Boolean).join(" · ");
}
