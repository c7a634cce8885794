// The parts of a notebook's list of cells that are within one cell: a line says where each begins, and its
// source follows. Nothing here knows of VS Code.

import type { Part } from "./changed-text.ts";

const BEGINS = /^# cell \((code|markdown|raw)\)$/;

/** The line with which a cell of a kind begins in the list. */
export function beginning(kind: string): string {
  return `# cell (${kind})`;
}

/** Those that are about a cell, which has the list's lines from `start` up to `end`. */
export function partsAt(parts: readonly Part[], start: number, end: number): readonly Part[] {
  return parts.filter((part) => part.start < end && start < Math.max(part.end, part.start + 1));
}

/** Whether all of them only change its source: then it can be kept and undone without the others. */
export function isWithin(parts: readonly Part[], start: number, end: number): boolean {
  return parts.every(
    (part) =>
      start < part.start && part.end <= end && !part.before.some((line) => BEGINS.test(line)),
  );
}

/** The source of the cell that begins at `start`, as it was before these parts of it. */
export function sourceBefore(source: string, start: number, parts: readonly Part[]): string {
  const lines = source.split("\n");
  for (const part of parts.toReversed()) {
    lines.splice(part.start - start - 1, part.end - part.start, ...part.before);
  }
  return lines.join("\n");
}
