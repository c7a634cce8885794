// A session's worktree in words.

import type { SessionWorktree } from "../../src/wire.ts";

const BECAME: Readonly<Record<string, string>> = {
  merged: "merged",
  discarded: "thrown away",
  gone: "removed",
};

/** Whether nothing can be done in it any more. */
export function ended({ state }: SessionWorktree): boolean {
  return state !== "open";
}

/** Its branch, and how many files it changed or what became of it. */
export function words({ branch, changed, state }: SessionWorktree): string {
  if (state !== "open") {
    return `${branch} was ${BECAME[state] ?? state}`;
  }
  const files = changed === 1 ? "1 file" : `${changed} files`;
  return changed === null ? branch : `${branch}, ${files}`;
}
