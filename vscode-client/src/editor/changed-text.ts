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

/** The text before and the text now. */
export class ChangedText {
  #before: string[];
  #now: readonly string[] | undefined; // not read yet
  #parts: readonly Part[] = [];
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
    return this.#now && this.#parts.reduce(withPart, this.#taken);
  }

  /** Whether one part is all that there is. */
  get isWhole(): boolean {
    return this.before === "" && this.#parts.length > 0;
  }

  /**
   * It holds this now. What the user has `typed` is no part, unless it is within one; gives whether
   * some of it was not.
   */
  becomes(now: string, typed: readonly Typed[] = []): boolean {
    const lines = linesOf(now);
    const isAsBefore = lines.join("\n") === this.before; // all was typed back
    const isMoved = joined(isAsBefore ? [] : typed, this.#now ?? [])
      .map((each) => this.#take(each))
      .includes(true);
    this.#now = lines;
    this.#compare();
    return isMoved;
  }

  /** A part is the user's own text from now on. */
  keep(part: Part): void {
    const { oldStart, oldEnd, start, end } = part;
    this.#taken = withPart(this.#taken, part);
    this.#before.splice(oldStart, oldEnd - oldStart, ...(this.#now ?? []).slice(start, end));
    this.#compare();
  }

  /** All of it is. */
  keepAll(): void {
    this.#taken = this.size ?? this.#taken;
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

  #compare(): void {
    this.#parts = changedBlocks(this.#before, this.#now ?? this.#before).map((block) => ({
      ...block,
      before: this.#before.slice(block.oldStart, block.oldEnd),
    }));
  }
}

function withPart({ added, removed }: Size, { start, end, before }: Part): Size {
  return { added: added + end - start, removed: removed + before.length };
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
