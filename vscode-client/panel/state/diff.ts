// A hunk as lines to show: what goes, what comes, and the same lines between them.

import type { Hunk } from "../../src/wire.ts";

/** A line of a diff; `number` is its line in the text that it belongs to (the new one, if both). */
export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly number: number;
  readonly text: string;
}

const MOST = 400; // lines a side; the comparison takes the product of both

/** The lines of a hunk; `shift` is by how much earlier hunks of the file move its new lines. */
export function diffOf({ before, after, firstLine }: Hunk, shift: number): readonly DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  const gone = (until: number) => {
    for (; at < until; at += 1) {
      lines.push({ kind: "gone", number: firstLine + at, text: old[at] ?? "" });
    }
  };
  const come = (until: number) => {
    for (; to < until; to += 1) {
      lines.push({ kind: "new", number: firstLine + shift + to, text: now[to] ?? "" });
    }
  };
  for (const [from, into] of commonLines(old, now)) {
    gone(from);
    come(into);
    lines.push({ kind: "same", number: firstLine + shift + to, text: now[to] ?? "" });
    at += 1;
    to += 1;
  }
  gone(old.length);
  come(now.length);
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

/** The longest common subsequence, as pairs of places; none where the texts are too long for it. */
function commonLines(old: readonly string[], now: readonly string[]): [number, number][] {
  if (old.length > MOST || now.length > MOST) {
    return [];
  }
  const width = now.length + 1;
  const best = new Uint16Array((old.length + 1) * width);
  const value = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      best[i * width + j] =
        old[i] === now[j] ? value(i + 1, j + 1) + 1 : Math.max(value(i + 1, j), value(i, j + 1));
    }
  }
  return path(old, now, value);
}

function path(
  old: readonly string[],
  now: readonly string[],
  value: (i: number, j: number) => number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (value(i + 1, j) >= value(i, j + 1)) {
      i += 1;
    } else {
      j += 1;
    }
  }
  return pairs;
}
