// A text that runs have changed, and which of its parts wait to be kept or undone: the lines that
// differ from a text of before. What the user writes elsewhere goes into that one, too, and so is no
// part. Lines are those of an editor, without their ends, from 0. Nothing here knows of VS Code.

import { type Block, changedBlocks } from "../line-diff.ts";

/** A place in a text, as editors name it. */
interface Place {
  readonly line: number;
  readonly character: number;
}

/** What an editor reports of typing: a range of the text before it, and what takes its place. */
export interface Typed {
  readonly range: { readonly start: Place; readonly end: Place };
  readonly text: string;
}

/** A part: its lines `start` up to `end` took the place of `before`; none of these, or of those, may be. */
export interface Part extends Block {
  readonly before: readonly string[];
}

/** How many lines came, and how many went. */
export interface Size {
  readonly added: number;
  readonly removed: number;
}

const MOST_EARLIER = 5; // states to which an undo in the editor may lead

/** A state in which more waited. */
interface Earlier {
  readonly now: string;
  readonly before: readonly string[];
}

/** The text before and the text now. */
export class ChangedText {
  #before: string[];
  #now: readonly string[] | undefined; // not read yet
  #parts: readonly Part[] = [];
  #earlier: Earlier[] = []; // the newest at the end
  #taken: Size;

  /** `taken` is how much was kept before. */
  constructor(before: string, taken: Size = { added: 0, removed: 0 }) {
    this.#before = linesOf(before);
    this.#taken = taken;
  }

  /** How much was kept. */
  get taken(): Size {
    return this.#taken;
  }

  /** The text without its parts. */
  get before(): string {
    return this.#before.join("\n");
  }

  /** From above; none before the text now is known. */
  get parts(): readonly Part[] {
    return this.#parts;
  }

  /** Whether something waits, as far as is known. */
  get waits(): boolean {
    return this.#now === undefined || this.#parts.length > 0;
  }

  /** What stands of the change: what waits, and what was kept; undefined before the text now is known. */
  get size(): Size | undefined {
    return this.#now && this.#parts.reduce((size, part) => this.#with(size, part), this.#taken);
  }

  /** Whether nothing is left of the change. */
  get isAsBefore(): boolean {
    return this.#now !== undefined && total(this.size) === 0;
  }

  /** Whether one part is all that there is. */
  get isWhole(): boolean {
    return this.before === "" && this.#parts.length > 0;
  }

  /**
   * It holds this now. What the user has `typed` is no part, unless it is within one, or brings back
   * a text of before, with the parts that it had; gives whether some of it was none.
   */
  becomes(now: string, typed: readonly Typed[] = []): boolean {
    const lines = linesOf(now);
    const again = this.#earlier.findLastIndex((each) => each.now === lines.join("\n"));
    const earlier = this.#earlier[again];
    if (earlier) {
      this.#earlier = this.#earlier.slice(0, again);
      this.#before = [...earlier.before];
      this.#now = lines;
      this.#compare();
      return false;
    }
    const was = { now: (this.#now ?? []).join("\n"), before: [...this.#before] };
    const waited = total(this.size);
    const isAsBefore = lines.join("\n") === this.before; // all was typed back
    const isMoved = joined(isAsBefore ? [] : typed, this.#now ?? [])
      .map((each) => this.#take(each))
      .includes(true);
    this.#now = lines;
    this.#compare();
    if (total(this.size) < waited) {
      this.#earlier = [...this.#earlier, was].slice(-MOST_EARLIER);
    }
    return isMoved;
  }

  /** A part is the user's own text from now on. */
  keep(part: Part): void {
    const { oldStart, oldEnd, start, end } = part;
    this.#taken = this.#with(this.#taken, part);
    this.#earlier = [];
    this.#before.splice(oldStart, oldEnd - oldStart, ...(this.#now ?? []).slice(start, end));
    this.#compare();
  }

  /** All of it is. */
  keepAll(): void {
    this.#taken = this.size ?? this.#taken;
    this.#earlier = [];
    this.#before = [...(this.#now ?? this.#before)];
    this.#compare();
  }

  /** What brings back the text before a part. */
  undoing({ start, end, before }: Part): Typed {
    const now = this.#now ?? [];
    const ends = (line: number): Place => ({ line, character: now[line]?.length ?? 0 });
    if (end < now.length) {
      const range = { start: { line: start, character: 0 }, end: { line: end, character: 0 } };
      return { range, text: before.map((line) => `${line}\n`).join("") };
    }
    return start > 0
      ? {
          range: { start: ends(start - 1), end: ends(end - 1) },
          text: before.map((line) => `\n${line}`).join(""),
        }
      : {
          range: { start: { line: 0, character: 0 }, end: ends(end - 1) },
          text: before.join("\n"),
        };
  }

  /** The part at a line, or the last one above it, or the first. */
  at(line: number): Part | undefined {
    return this.#parts.findLast(({ start }) => start <= line) ?? this.#parts[0];
  }

  /** An earlier part where it is now: the nearest one of the same lines; undefined if it changed. */
  same({ start, end, before }: Part): Part | undefined {
    const was = before.join("\n");
    return this.#parts
      .filter((part) => part.end - part.start === end - start && part.before.join("\n") === was)
      .toSorted((one, other) => Math.abs(one.start - start) - Math.abs(other.start - start))[0];
  }

  /** The first part that begins below a line, or the last one above it that does not reach it. */
  beside(line: number, isBelow: boolean): Part | undefined {
    return isBelow
      ? this.#parts.find(({ start }) => start > line)
      : this.#parts.findLast(({ start, end }) => Math.max(start + 1, end) <= line);
  }

  /** What the user typed goes into the text before, too; not what is within a part. */
  #take({ range, text }: Typed): boolean {
    const now = this.#now;
    if (!now) {
      return false;
    }
    const { start, end } = range;
    const old = now.slice(start.line, end.line + 1);
    const head = (old[0] ?? "").slice(0, start.character);
    const tail = (old.at(-1) ?? "").slice(end.character);
    const fresh = linesOf(`${head}${text}${tail}`);
    const change = whole(changedBlocks(old, fresh), start.line);
    if (!change || this.#parts.some((part) => meets(part, change))) {
      return false;
    }
    const added = fresh.slice(change.start - start.line, change.end - start.line);
    if (this.#parts.some((part) => bringsBack(part, change, added))) {
      return false;
    }
    const from = this.#placeBefore(change.oldStart, true);
    const to = this.#placeBefore(change.oldEnd, change.oldStart === change.oldEnd);
    this.#before.splice(from, to - from, ...added);
    return true;
  }

  /** Where a line between parts is in the text before; `below` a deletion at this very line. */
  #placeBefore(line: number, below: boolean): number {
    return this.#parts
      .filter(({ start, end }) => (start === end && !below ? end < line : end <= line))
      .reduce((place, part) => place + part.oldEnd - part.oldStart - part.end + part.start, line);
  }

  /** How much it is with a part; an empty line behind the last line end is none. */
  #with({ added, removed }: Size, { start, end, oldStart, oldEnd }: Part): Size {
    const old = endOf(this.#before, oldStart, oldEnd);
    const now = endOf(this.#now ?? [], start, end);
    return {
      added: added + end - start - (now === "in" && old !== "out" ? 1 : 0),
      removed: removed + oldEnd - oldStart - (old === "in" && now !== "out" ? 1 : 0),
    };
  }

  #compare(): void {
    this.#parts = changedBlocks(this.#before, this.#now ?? this.#before).map((block) => ({
      ...block,
      before: this.#before.slice(block.oldStart, block.oldEnd),
    }));
  }
}

/** In all; none where it is not known. */
function total(size: Size | undefined): number {
  return size ? size.added + size.removed : 0;
}

/** Whether the empty line behind the last line end is in a part, or out of it; "" where there is none. */
function endOf(lines: readonly string[], start: number, end: number): "in" | "out" | "" {
  const isIn = start < end && end === lines.length;
  return lines.at(-1) !== "" ? "" : isIn ? "in" : "out";
}

/** Changes of a text of these lines, from below; those that share a line are one: VS Code splits edits by words. */
function joined(typed: readonly Typed[], lines: readonly string[]): readonly Typed[] {
  const all: Typed[] = [];
  for (const each of typed.toSorted((one, other) =>
    fromBelow(one.range.start, other.range.start),
  )) {
    const { start, end } = each.range;
    const next = all.at(-1);
    if (next?.range.start.line === end.line) {
      const between = lines[end.line]?.slice(end.character, next.range.start.character) ?? "";
      const range = { start, end: next.range.end };
      all[all.length - 1] = { range, text: each.text + between + next.text };
    } else {
      all.push(each);
    }
  }
  return all;
}

function fromBelow(one: Place, other: Place): number {
  return other.line - one.line || other.character - one.character;
}

/** All from the first block to the last one, of lines from `line` on; undefined without any. */
function whole(blocks: readonly Block[], line: number): Block | undefined {
  const [first, last] = [blocks[0], blocks.at(-1)];
  return (
    first &&
    last && {
      oldStart: first.oldStart + line,
      oldEnd: last.oldEnd + line,
      start: first.start + line,
      end: last.end + line,
    }
  );
}

/** Whether a change of the text, by its old lines, is within a part or reaches into it. */
function meets({ start, end }: Part, { oldStart, oldEnd }: Block): boolean {
  return oldStart === oldEnd
    ? start < oldStart && oldStart < end
    : oldStart < end && start < oldEnd;
}

/** Whether the lines that a change adds are those that went there. */
function bringsBack(
  { start, end, before }: Part,
  change: Block,
  added: readonly string[],
): boolean {
  const isThere = start === end && change.oldStart === start && change.oldEnd === start;
  return isThere && added.length > 0 && added.join("\n") === before.join("\n");
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
