// The lines that differ between two texts, in bounded time (E. W. Myers, "An O(ND) difference
// algorithm and its variations", 1986). Nothing here knows of VS Code.

/** Old lines from `oldStart` up to `oldEnd` became the ones from `start` up to `end`; from 0. */
export interface Block {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly start: number;
  readonly end: number;
}

const MOST = 1000; // lines that go or come; the comparison takes the square of it

/** Where the two differ, in order; of texts that differ too much, all between their alike ends. */
export function changedBlocks(old: readonly string[], now: readonly string[]): readonly Block[] {
  const shorter = Math.min(old.length, now.length);
  let top = 0;
  while (top < shorter && old[top] === now[top]) {
    top += 1;
  }
  let bottom = 0;
  while (bottom < shorter - top && old.at(-1 - bottom) === now.at(-1 - bottom)) {
    bottom += 1;
  }
  const gap = { oldStart: top, oldEnd: old.length - bottom, start: top, end: now.length - bottom };
  if (gap.oldStart === gap.oldEnd || gap.start === gap.end) {
    return gap.oldEnd - gap.oldStart + gap.end - gap.start > 0 ? [gap] : [];
  }
  const steps = shortest(old.slice(top, gap.oldEnd), now.slice(top, gap.end));
  return steps ? merged(steps, top) : [gap];
}

/** A line that goes (`gone`), or comes: the places in both texts before it does. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly gone: boolean;
}

/** The fewest lines that make `now` of `old`, in order; undefined if these are too many. */
function shortest(old: readonly string[], now: readonly string[]): Step[] | undefined {
  const most = Math.min(old.length + now.length, MOST);
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3); // how far into `old`, by diagonal
  const rounds: Int32Array[] = [];
  for (let round = 0; round <= most; round += 1) {
    rounds.push(reach.slice());
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const comes = isBelow(reach, middle, diagonal, round);
      const step = (reach[middle + diagonal + (comes ? 1 : -1)] ?? 0) + (comes ? 0 : 1);
      const from = step + alike(old, now, step, step - diagonal);
      reach[middle + diagonal] = from;
      if (from >= old.length && from - diagonal >= now.length) {
        return backwards(rounds, middle, old.length, now.length);
      }
    }
  }
  return undefined;
}

/** How many lines are the same from these places on. */
function alike(old: readonly string[], now: readonly string[], from: number, to: number): number {
  let count = 0;
  while (
    from + count < old.length &&
    to + count < now.length &&
    old[from + count] === now[to + count]
  ) {
    count += 1;
  }
  return count;
}

/** Whether the best way onto a diagonal is a line that comes. */
function isBelow(reach: Int32Array, middle: number, diagonal: number, round: number): boolean {
  const [gone = 0, comes = 0] = [reach[middle + diagonal - 1], reach[middle + diagonal + 1]];
  return diagonal === -round || (diagonal !== round && gone < comes);
}

function backwards(rounds: Int32Array[], middle: number, from: number, to: number): Step[] {
  const steps: Step[] = [];
  let diagonal = from - to;
  for (let round = rounds.length - 1; round > 0; round -= 1) {
    const reach = rounds[round] ?? new Int32Array();
    const comes = isBelow(reach, middle, diagonal, round);
    diagonal += comes ? 1 : -1;
    const place = reach[middle + diagonal] ?? 0;
    steps.push({ from: place, to: place - diagonal, gone: !comes });
  }
  return steps.reverse();
}

/** Steps that follow each other are one block; `top` lines stand above all of them. */
function merged(steps: readonly Step[], top: number): Block[] {
  const blocks: Block[] = [];
  for (const { from, to, gone } of steps) {
    const [oldStart, start] = [from + top, to + top];
    const [oldEnd, end] = [oldStart + (gone ? 1 : 0), start + (gone ? 0 : 1)];
    const last = blocks.at(-1);
    if (last?.oldEnd === oldStart && last.end === start) {
      blocks[blocks.length - 1] = { ...last, oldEnd, end };
    } else {
      blocks.push({ oldStart, oldEnd, start, end });
    }
  }
  return blocks;
}
