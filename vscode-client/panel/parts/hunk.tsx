// One part of an edit as a small diff.

import type { ComponentChildren } from "preact";
import { plural } from "../../src/commands/markdown.ts";
import { shown } from "../../src/shown.ts";
import type { Hunk } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { type DiffLine, diffOf } from "../state/diff.ts";
import { folds, shownPath } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly hunk: Hunk;
  readonly shift: number;
  readonly id: string;
  readonly aside?: ComponentChildren;
  /** Whether the user leaves it out. */
  readonly leftOut?: boolean;
  /** The user decides about it: all lines are there, none is cut off, and a long one has a box that scrolls. */
  readonly whole?: boolean;
}

const SHOWN = 16; // lines, until the user wants to see them all
const IN_SIGHT = 12; // lines that the box shows at once
const SIGNS = { same: " ", gone: "−", new: "+" } as const;
const SPOKEN = { same: "", gone: "removed: ", new: "added: " } as const;

/** The hunk's place and lines. */
export function HunkView({ hunk, shift, id, aside, leftOut, whole }: Props) {
  const lines = hunk.kind === "rename" ? [] : diffOf(hunk, shift);
  return (
    <div class={`hunk ${leftOut ? "left-out" : ""}`}>
      <div class="hunk-head">
        <Place hunk={hunk} />
        {whole && lines.length > IN_SIGHT && (
          <span class="hunk-size">{plural(lines.length, "line")}, scroll to see all</span>
        )}
        {aside}
      </div>
      {hunk.kind !== "rename" &&
        (whole ? (
          <Box lines={lines} hunk={hunk} whole />
        ) : (
          <Folded lines={lines} hunk={hunk} id={`${id} ${hunk.id}`} />
        ))}
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

interface BoxProps {
  readonly lines: readonly DiffLine[];
  readonly hunk: Hunk;
  readonly whole?: boolean;
}

/** Lines in a box that scrolls. */
function Box({ lines, hunk, whole = false }: BoxProps) {
  const label = `Changed lines of ${shown(shownPath(hunk.path))}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class={`diff ${whole ? "whole" : ""}`} role="group" aria-label={label} tabIndex={0}>
      <Lines lines={lines} />
    </div>
  );
}

/** The first lines, until the user wants to see them all. */
function Folded({ lines, hunk, id }: BoxProps & { readonly id: string }) {
  const all = folds.value.get(id) || lines.length <= SHOWN + 2;
  return (
    <>
      <Box lines={all ? lines : lines.slice(0, SHOWN)} hunk={hunk} />
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

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <div class="diff-lines">
      {lines.map(({ kind, number, text }, at) => (
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
  );
}
