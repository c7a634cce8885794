// What a permission is about, line by line. What would push the rest out of sight is squeezed, and
// where that was done is said.

import { plural } from "../../src/commands/markdown.ts";
import type { Cut } from "../../src/wire.ts";

/** A line, or with a `mark` what is shown of more: `before`, what is missing, `after`. */
export interface Row {
  readonly before: string;
  readonly mark?: string;
  readonly after?: string;
}

const BLANK_LINES = 2; // in a row; more are squeezed
const LONG = 400; // characters; of a longer line the beginning and the end are shown
const HEAD = 240;
const TAIL = 80;

/** All of it; what the server left out is marked. */
export function rowsOf(detail: string, cut: Cut | null): readonly Row[] {
  const lines = (text: string) => text.split("\n").map((before) => ({ before }));
  if (!cut) {
    return lines(detail);
  }
  const missing = { before: "", mark: `${plural(cut.bytes, "byte")} left out here` };
  return [...lines(detail), missing, ...lines(cut.tail)];
}

/** The rows with runs of empty lines as one, and long lines cut in the middle. */
export function squeezed(rows: readonly Row[]): readonly Row[] {
  const kept: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    const blank = blankFrom(rows, at);
    if (blank > BLANK_LINES) {
      kept.push({ before: "", mark: `${blank} empty lines` });
    } else {
      kept.push(...rows.slice(at, at + Math.max(blank, 1)).map(shortened));
    }
    at += Math.max(blank, 1);
  }
  return kept;
}

function blankFrom(rows: readonly Row[], at: number): number {
  const next = rows.slice(at).findIndex(({ before, mark }) => mark || before.trim() !== "");
  return next < 0 ? rows.length - at : next;
}

function shortened(row: Row): Row {
  const { before, mark } = row;
  if (mark || before.length <= LONG) {
    return row;
  }
  const missing = before.length - HEAD - TAIL;
  return {
    before: before.slice(0, HEAD),
    mark: plural(missing, "more character"),
    after: before.slice(-TAIL),
  };
}
