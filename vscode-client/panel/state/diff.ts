// A hunk as lines to show: what goes, what comes, and the same lines between them.

import { changedBlocks } from "../../src/line-diff.ts";
import type { Hunk } from "../../src/wire.ts";

/** A line of a diff; `number` is its line in the text that it belongs to (the new one, if both). */
export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly number: number;
  readonly text: string;
}

/** The lines of a hunk; `shift` is by how much earlier hunks of the file move its new lines. */
export function diffOf({ before, after, firstLine }: Hunk, shift: number): readonly DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines: DiffLine[] = [];
  let to = 0;
  const same = (until: number) => {
    for (; to < until; to += 1) {
      lines.push({ kind: "same", number: firstLine + shift + to, text: now[to] ?? "" });
    }
  };
  for (const { oldStart, oldEnd, start, end } of changedBlocks(old, now)) {
    same(start);
    for (let at = oldStart; at < oldEnd; at += 1) {
      lines.push({ kind: "gone", number: firstLine + at, text: old[at] ?? "" });
    }
    for (; to < end; to += 1) {
      lines.push({ kind: "new", number: firstLine + shift + to, text: now[to] ?? "" });
    }
  }
  same(now.length);
  return lines;
}

/** How many lines a hunk adds and takes away. */
export function sizeOf(hunk: Hunk): { readonly added: number; readonly removed: number } {
  const lines = hunk.kind === "rename" ? [] : diffOf(hunk, 0);
  const of = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: of("new"), removed: of("gone") };
}

/** By how many lines each hunk's new text stands lower, for the hunks before it in its file. */
export function shiftsOf(hunks: readonly Hunk[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const shifts = new Map<string, number>();
  for (const { id, path, before, after } of hunks) {
    const sum = sums.get(path) ?? 0;
    shifts.set(id, sum);
    sums.set(path, sum + linesOf(after).length - linesOf(before).length);
  }
  return shifts;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
