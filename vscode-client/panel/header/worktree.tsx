// The worktree of the session that is shown: its branch, what became of it, and the two ways out.

import { shown } from "../../src/shown.ts";
import { ACTS } from "../../src/wire.ts";
import { counted, ended, words } from "../../src/worktree.ts";
import { tell } from "../host.ts";
import { live, newSession, situation } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** A line below the title; none for a session that works in the user's own files. */
export function WorktreeLine() {
  const { session } = situation.value;
  const tree = session?.worktree;
  if (!(session && tree)) {
    return null;
  }
  const { id } = session;
  const busy = live.value !== null;
  return (
    <p class="banner worktree" role="status">
      <Icon name="worktree" />
      <span class="worktree-words" title={tree.folders.join("\n")}>
        <Shown text={words(tree)} />
        {counted(tree, busy)}
        {ended(tree) && ". You can still read it here."}
      </span>
      {ended(tree) ? (
        <button type="button" class="link" onClick={newSession}>
          New session
        </button>
      ) : (
        <>
          <button
            type="button"
            class="link"
            disabled={busy}
            title={`Commit what this session changed, and merge it into ${shown(tree.into) || "your branch"}`}
            onClick={() => tell({ type: "mergeWorktree", id })}
          >
            {ACTS.merge}
          </button>
          <button
            type="button"
            class="link"
            disabled={busy}
            title="Remove the worktree and its branch"
            onClick={() => tell({ type: "discardWorktree", id })}
          >
            {ACTS.discard}
          </button>
        </>
      )}
    </p>
  );
}
