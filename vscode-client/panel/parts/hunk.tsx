// One part of an edit as a small diff.

import type { ComponentChildren } from "preact";
import { shown } from "../../src/shown.ts";
import type { Hunk } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { type DiffLine, diffOf } from "../state/diff.ts";
import { plural } from "../state/figures.ts";
import { folds, shownPath } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly hunk: Hunk;
  readonly shift: number;
  readonly id: string;
  readonly aside?: ComponentChildren;
  readonly left?: boolean;
}

const SHOWN = 16; // lines, until the user wants to see them all
const SIGNS = { same: " ", gone: "−", new: "+" } as const;
const SPOKEN = { same: "", gone: "removed: ", new: "added: " } as const;

/** The hunk's place and lines; `left` is whether the user leaves it out. */
export function HunkView({ hunk, shift, id, aside, left }: Props) {
  return (
    <div class={`hunk ${left ? "left-out" : ""}`}>
      <div class="hunk-head">
        <Place hunk={hunk} />
        {aside}
      </div>
      {hunk.kind !== "rename" && <Lines lines={diffOf(hunk, shift)} id={`${id} ${hunk.id}`} />}
    </div>
  );
}

function Place({ hunk }: { hunk: Hunk }) {
  const { kind, path, firstLine } = hunk;
  if (kind === "rename") {
    return (
      <span class="place">
        <Shown text={shownPath(hunk.before)} /> <Icon name="arrow-right" />{" "}
        <span class="unseen">becomes</span> <Shown text={shownPath(hunk.after)} />
      </span>
    );
  }
  const words = { create: "new file", delete: "deleted", edit: "" }[kind];
  const line = kind === "edit" ? firstLine : 1;
  return (
    <button
      type="button"
      class="place link"
      title={`Open ${shown(shownPath(path))}`}
      onClick={() => tell({ type: "openPath", path, line })}
    >
      <Shown text={kind === "edit" ? `${shownPath(path)}:${firstLine}` : shownPath(path)} />
      {words && <span class="tag">{words}</span>}
    </button>
  );
}

function Lines({ lines, id }: { lines: readonly DiffLine[]; id: string }) {
  const all = folds.value.get(id) || lines.length <= SHOWN + 2;
  const shown = all ? lines : lines.slice(0, SHOWN);
  return (
    <>
      <div class="diff">
        <div class="diff-lines">
          {shown.map(({ kind, number, text }, at) => (
            <div key={at} class={`line ${kind}`}>
              <span class="number" aria-hidden="true">
                {number}
              </span>
              <span class="sign" aria-hidden="true">
                {SIGNS[kind]}
              </span>
              <span class="unseen">{SPOKEN[kind]}</span>
              <code>
                <Shown text={text} kind="text" />
              </code>
            </div>
          ))}
        </div>
      </div>
      {!all && (
        <button
          type="button"
          class="link more"
          onClick={() => {
            folds.value = new Map(folds.value).set(id, true);
          }}
        >
          Show {plural(lines.length - SHOWN, "more line")}
        </button>
      )}
    </>
  );
}
