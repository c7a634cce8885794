// The files that a turn changed: each with its size, its diff and its undo.

import { plural } from "../../src/commands/markdown.ts";
import { isNothing, type Remaining } from "../../src/editor/remaining.ts";
import { shown } from "../../src/shown.ts";
import { ACTS, BECAME, type ChangedFile, type FileChange } from "../../src/wire.ts";
import { tell } from "../host.ts";
import type { Turn } from "../state/model.ts";
import { filesUndone, fixed, situation } from "../store.ts";
import { Fold, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";

const FEW = 8; // files that are shown unfolded

const LOOKS: Readonly<Record<FileChange, { readonly icon: IconName; readonly words: string }>> = {
  created: { icon: "diff-added", words: "new" },
  changed: { icon: "edit", words: "" },
  deleted: { icon: "diff-removed", words: "deleted" },
};

/** The list; nothing where no file was changed. */
export function ChangedFiles({ turn }: { turn: Turn }) {
  const { changed, runId, undone } = turn;
  if (!changed) {
    return null;
  }
  const files = changed.files.map((file) => asItIs(file, turn));
  const { more } = changed;
  const isGone = more === 0 && !undone && files.every(({ path }) => isTakenBack(runId, path));
  const busy = fixed.value;
  return (
    <Fold
      id={`${runId} files`}
      open={files.length <= FEW}
      name={`card files ${undone ? "undone" : ""}`}
      head={
        <>
          <Icon name="files" />
          <span>{plural(files.length + more, "file")} changed</span>
          {isGone ? <span class="tag">{BECAME.undone}</span> : <Size files={files} />}
        </>
      }
      aside={
        !undone && (
          <IconButton
            icon="discard"
            label={`${ACTS.undo} all of this turn's changes`}
            disabled={busy}
            act={() => tell({ type: "undoTurn", runId })}
          />
        )
      }
    >
      {() => (
        <ul>
          {files.map((file) => (
            <Row key={file.path} file={file} turn={turn} busy={busy} />
          ))}
          {situation.value.waiting?.includes(runId) && (
            <li class="file-row">
              <Icon name="edit" />
              <span class="file-marked">Marked in the editor</span>
              <button type="button" class="link" onClick={() => tell({ type: "keepAll" })}>
                Keep all
              </button>
            </li>
          )}
          {more > 0 && <li class="list-count">and {plural(more, "more file")}</li>}
        </ul>
      )}
    </Fold>
  );
}

/**
 * A file with what is left of its changes, by what the user undid in an editor since. If that is more
 * than the turn did, the rest is somebody else's.
 */
function asItIs(file: ChangedFile, { runId, undone }: Turn): ChangedFile {
  const left = remainingOf(runId, file.path);
  if (!left || undone || file.added === null || file.removed === null) {
    return file;
  }
  const { added, removed } = left;
  return added <= file.added && removed <= file.removed ? { ...file, added, removed } : file;
}

function remainingOf(runId: string, path: string): Remaining | undefined {
  return situation.value.remaining?.find((each) => each.runId === runId && each.path === path);
}

/** Whether the user undid all that a turn changed in a file. */
export function isTakenBack(runId: string, path: string): boolean {
  const left = remainingOf(runId, path);
  return left !== undefined && isNothing(left);
}

function Row({ file, turn, busy }: { file: ChangedFile; turn: Turn; busy: boolean }) {
  const { path, change } = file;
  const { runId } = turn;
  const { icon, words } = LOOKS[change];
  const open = () => tell({ type: "openChange", runId, path });
  const isGone = isTakenBack(runId, path) && !turn.undone;
  const undo = filesUndone.value.find((each) => each.runId === runId && each.path === path);
  return (
    <li class={`file-row ${undo || isGone ? "undone" : ""}`}>
      <Icon name={icon} />
      <button
        type="button"
        class="link file-name"
        title={`Show the changes of ${shown(path)}`}
        onClick={open}
      >
        <Shown text={path} />
      </button>
      {words && <span class="tag">{words}</span>}
      {!isGone && <Size files={[file]} />}
      {(undo || isGone) && !turn.undone && <span class="tag">{BECAME.undone}</span>}
      {!turn.undone && (
        <IconButton
          icon={undo ? "redo" : "discard"}
          label={`${undo ? ACTS.redo : ACTS.undo} the changes of ${shown(path)}`}
          disabled={busy}
          act={() =>
            tell(
              undo
                ? { type: "undoTurn", runId: undo.by }
                : { type: "undoTurn", runId, paths: [path] },
            )
          }
        />
      )}
    </li>
  );
}

/** How many lines were added and removed, of files that have lines. */
function Size({ files }: { files: readonly ChangedFile[] }) {
  const texts = files.filter(({ added }) => added !== null);
  if (texts.length === 0) {
    return null;
  }
  const added = texts.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = texts.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return (
    <span class="size">
      <span class="plus" title={plural(added, "line added", "lines added")}>
        +{added}
      </span>{" "}
      <span class="minus" title={plural(removed, "line removed", "lines removed")}>
        −{removed}
      </span>
    </span>
  );
}
