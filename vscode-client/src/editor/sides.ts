// The two sides of a plan's diff for one file, made from what the document holds now. The plan may
// not be applied yet, or be applied in part; each hunk is looked for as it was and as it is to be.

import type { Hunk } from "../wire.ts";

/** Whole texts. */
export interface Sides {
  readonly before: string;
  readonly after: string;
}

const GAP = "⋯\n";

/** The sides for the hunks of one file; `text` is what it holds now, undefined if it is not there. */
export function sidesOf(hunks: readonly Hunk[], text: string | undefined): Sides {
  const [first] = hunks;
  if (first && first.kind !== "edit") {
    return first.kind === "rename"
      ? { before: text ?? "", after: text ?? "" }
      : { before: first.before, after: first.after };
  }
  const ordered = [...hunks].sort((one, other) => one.firstLine - other.firstLine);
  return (text === undefined ? undefined : inContext(ordered, text)) ?? excerpts(ordered);
}

/** Undefined if a hunk is neither there as it was nor as it is to be: somebody else was there. */
function inContext(hunks: readonly Hunk[], text: string): Sides | undefined {
  const lines = linesOf(text);
  const before: string[] = [];
  const after: string[] = [];
  let taken = 0; // lines of the text that both sides have
  let moved = 0; // how much longer the text has become by hunks that are applied
  for (const hunk of hunks) {
    const at = hunk.firstLine - 1 + moved;
    const old = linesOf(hunk.before);
    const fresh = linesOf(hunk.after);
    const applied = isApplied(lines, at, old, fresh);
    if (applied === undefined || at < taken) {
      return undefined;
    }
    const same = lines.slice(taken, at);
    before.push(...same, ...old);
    after.push(...same, ...fresh);
    taken = at + (applied ? fresh : old).length;
    moved += applied ? fresh.length - old.length : 0;
  }
  const rest = lines.slice(taken);
  return { before: [...before, ...rest].join(""), after: [...after, ...rest].join("") };
}

function isApplied(
  lines: readonly string[],
  at: number,
  old: readonly string[],
  fresh: readonly string[],
): boolean | undefined {
  const isOld = startsAt(lines, at, old);
  const isFresh = startsAt(lines, at, fresh);
  if (isOld && isFresh) {
    return fresh.length > old.length; // the longer one says more: nothing is found everywhere
  }
  return isOld || isFresh ? isFresh : undefined;
}

function startsAt(lines: readonly string[], at: number, part: readonly string[]): boolean {
  return at >= 0 && at <= lines.length && part.every((line, index) => lines[at + index] === line);
}

function excerpts(hunks: readonly Hunk[]): Sides {
  return {
    before: hunks.map((hunk) => hunk.before).join(GAP),
    after: hunks.map((hunk) => hunk.after).join(GAP),
  };
}

/** With their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}
