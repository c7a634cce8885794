// The text of a notebook's file, and the cells in it: what is typed in cells is put into the text, and all
// else of it stays. Nothing here knows of VS Code.

import { isDeepStrictEqual } from "node:util";

/** A cell, by what is compared. */
export interface CellText {
  /** "code", "markdown" or "raw". */
  readonly kind: string;
  readonly source: string;
  readonly id?: string | undefined;
}

/** A cell in a text: the offsets of its object and of its source, and its fields. */
export interface PlacedCell extends CellText {
  readonly start: number;
  readonly end: number;
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The cells of a text; `start` and `end` are the offsets of their list. */
export interface PlacedCells {
  readonly cells: readonly PlacedCell[];
  readonly start: number;
  readonly end: number;
}

interface Item {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** The cells of a notebook's file; undefined for a text that is none. */
export function cellsIn(text: string): PlacedCells | undefined {
  try {
    JSON.parse(text);
    const list = items(text, 0).find(({ key }) => key === "cells");
    return list && { ...list, cells: items(text, list.start).map((item) => placed(text, item)) };
  } catch {
    return undefined;
  }
}

/** Where two lists of cells differ: from `first` on, up to the two ends; `same` compares two cells. */
export function difference<C extends CellText>(
  before: readonly C[],
  after: readonly C[],
  same: (one: C | undefined, other: C | undefined) => boolean = isSame,
): { readonly first: number; readonly oldEnd: number; readonly newEnd: number } {
  const least = Math.min(before.length, after.length);
  let first = 0;
  while (first < least && same(before[first], after[first])) {
    first += 1;
  }
  let last = 0;
  while (last < least - first && same(before.at(-1 - last), after.at(-1 - last))) {
    last += 1;
  }
  return { first, oldEnd: before.length - last, newEnd: after.length - last };
}

/** Whether all but the source is the same: outputs, metadata, the id. */
export function agreeBesidesSource(one: PlacedCell, other: PlacedCell): boolean {
  const [{ source: _, ...before }, { source: __, ...after }] = [one.fields, other.fields];
  return isDeepStrictEqual(before, after);
}

/** Whether two cells of texts are the same with all that they hold. */
export function areWhollySame(one: PlacedCell | undefined, other: PlacedCell | undefined): boolean {
  return (
    one !== undefined && other !== undefined && isSame(one, other) && agreeBesidesSource(one, other)
  );
}

/** Whether two lists of cells say the same. */
export function areSame(one: readonly CellText[], other: readonly CellText[]): boolean {
  return one.length === other.length && one.every((cell, at) => isSame(cell, other[at]));
}

/** The text with these cells in the place of its own; cells that stay are as they were. */
export function withCells(text: string, wanted: readonly CellText[]): string {
  const known = cellsIn(text);
  if (!known || areSame(known.cells, wanted)) {
    return text;
  }
  const { cells } = known;
  const { first, oldEnd, newEnd } = difference(cells, wanted);
  const gone = cells.slice(first, oldEnd);
  const fresh = wanted.slice(first, newEnd).map((cell, at) => {
    const old =
      gone.find(({ id }) => id !== undefined && id === cell.id) ??
      (gone.length === newEnd - first && mayBeOne(gone[at], cell) ? gone[at] : undefined);
    return written(text, old?.kind === cell.kind ? old : undefined, cell, cells[0]);
  });
  const pieces = [
    ...cells.slice(0, first).map(({ start, end }) => text.slice(start, end)),
    ...fresh,
    ...cells.slice(oldEnd).map(({ start, end }) => text.slice(start, end)),
  ];
  const list = pieces.length === 0 ? "[]" : `[${joined(text, known, pieces)}]`;
  return text.slice(0, known.start) + list + text.slice(known.end);
}

function joined(text: string, { cells, start, end }: PlacedCells, pieces: readonly string[]) {
  const [one, two] = cells;
  const unit = unitOf(text);
  const open = one ? text.slice(start + 1, one.start) : unit && `\n${unit}${unit}`;
  const between = one && two ? text.slice(one.end, two.start) : `,${open || " "}`;
  const close = one ? text.slice(cells.at(-1)?.end, end - 1) : unit && `\n${unit}`;
  return open + pieces.join(between) + close;
}

/** A cell as it is in the file, with another source; a new one as the one beside it is indented. */
function written(
  text: string,
  old: PlacedCell | undefined,
  { kind, source, id }: CellText,
  beside: PlacedCell | undefined,
): string {
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  if (old) {
    const value = Array.isArray(old.fields["source"]) ? lines : source;
    const json = inJson(text, value, old.sourceStart);
    return text.slice(old.start, old.sourceStart) + json + text.slice(old.sourceEnd, old.end);
  }
  const code = kind === "code" ? { execution_count: null } : {};
  const outputs = kind === "code" ? { outputs: [] } : {};
  const named = id === undefined ? {} : { id };
  const fields = { cell_type: kind, ...code, ...named, metadata: {}, ...outputs, source: lines };
  return inJson(text, fields, beside?.start ?? 0, beside ? undefined : unitOf(text).repeat(2));
}

function inJson(text: string, value: unknown, at: number, margin?: string): string {
  const unit = unitOf(text);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const lead = margin ?? /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
  return JSON.stringify(value, null, unit).replaceAll("\n", `\n${lead}`);
}

/** The indentation of one level. */
function unitOf(text: string): string {
  return /^\s*\{[ \t]*\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
}

function isSame(one: CellText | undefined, other: CellText | undefined): boolean {
  return one?.kind === other?.kind && one?.source === other?.source && mayBeOne(one, other);
}

/** Whether no two ids say that they are two cells; those of old notebooks and new cells have none. */
function mayBeOne(one: CellText | undefined, other: CellText | undefined): boolean {
  return one?.id === undefined || other?.id === undefined || one.id === other.id;
}

function placed(text: string, { start, end }: Item): PlacedCell {
  const fields = JSON.parse(text.slice(start, end)) as Record<string, unknown>;
  const source = items(text, start).find(({ key }) => key === "source");
  const { cell_type: kind, id } = fields;
  if (!source || typeof kind !== "string") {
    throw new Error("a cell without a source or a type");
  }
  const lines = fields["source"];
  return {
    ...{ start, end, fields, kind, sourceStart: source.start, sourceEnd: source.end },
    source: Array.isArray(lines) ? lines.join("") : String(lines),
    id: typeof id === "string" ? id : undefined,
  };
}

/** The values in the object or list at a place of a text that is JSON. */
function items(text: string, place: number): Item[] {
  const found: Item[] = [];
  let at = afterSpace(text, place);
  const isObject = text[at] === "{";
  at = afterSpace(text, at + 1);
  while (at < text.length && text[at] !== "]" && text[at] !== "}") {
    let key = "";
    if (isObject) {
      const end = afterValue(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = afterSpace(text, afterSpace(text, end) + 1);
    }
    const end = afterValue(text, at);
    found.push({ key, start: at, end });
    at = afterSpace(text, end);
    at = text[at] === "," ? afterSpace(text, at + 1) : at;
  }
  return found;
}

function afterSpace(text: string, at: number): number {
  return matched(/[ \t\r\n]*/y, text, at);
}

function afterValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const character = text[at] ?? "";
    if (character === '"') {
      at = matched(/"[^"\\]*(?:\\.[^"\\]*)*"/y, text, at);
    } else if ("{[".includes(character)) {
      depth += 1;
      at += 1;
    } else if ("}]".includes(character)) {
      depth -= 1;
      at += 1;
    } else if (",: \t\r\n".includes(character)) {
      at += 1; // within an object or a list
    } else {
      at = matched(/[^\s"{}[\],:]+/y, text, at);
    }
  } while (depth > 0);
  return at;
}

function matched(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
