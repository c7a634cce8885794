// An edit of one file that waits for the user: which of its parts are taken, and how its two texts
// look then. Nothing here knows of VS Code.

import type { EditPlan, Hunk, PermissionAnswer, Review } from "../wire.ts";
import { type Sides, sidesOf } from "./sides.ts";

/** A part, as it is in the text that is proposed; `line` is from 0. */
export interface Part {
  readonly id: string;
  readonly line: number;
  /** Whether the user takes it; undefined until that is decided. */
  readonly taken: boolean | undefined;
}

/** Which parts of an edit the user leaves out. Its diff and its card have the same. */
export interface LeftOut {
  readonly leftOut: () => ReadonlySet<string>;
  readonly leaveOut: (part: string, out: boolean) => void;
}

/** The parts that the user does not leave out. */
export function keptOf(hunks: readonly Hunk[], leftOut: ReadonlySet<string>): readonly Hunk[] {
  return hunks.filter(({ id }) => !leftOut.has(id));
}

/** A permission for the parts that are not left out; where all are, nothing is allowed. */
export function allowed(
  answer: PermissionAnswer,
  { hunks }: EditPlan,
  leftOut: ReadonlySet<string>,
): PermissionAnswer {
  const parts = keptOf(hunks, leftOut).map(({ id }) => id);
  if (answer.choice === "deny" || parts.length === hunks.length) {
    return answer;
  }
  const words = answer.message ? { message: answer.message } : {};
  return parts.length > 0 ? { ...answer, parts } : { choice: "deny", ...words };
}

/** A review that accepts nothing that is left out. */
export function reviewed(answer: Review, leftOut: ReadonlySet<string>): Review {
  return { ...answer, accepted: answer.accepted.filter((id) => !leftOut.has(id)) };
}

/** The parts, and what the user decides about each. */
export class PartsOfEdit {
  readonly #hunks: readonly Hunk[];
  readonly #accepted = new Set<string>();

  constructor(
    hunks: readonly Hunk[],
    private readonly choice: LeftOut,
  ) {
    this.#hunks = [...hunks].sort((one, other) => one.firstLine - other.firstLine);
  }

  /** Whether something was decided about every part. */
  get decided(): boolean {
    return this.#hunks.every(({ id }) => this.#taken(id) !== undefined);
  }

  /** Take a part, or leave it out; what is not one of the parts is passed over. */
  decide(id: string, take: boolean): void {
    if (this.#hunks.some((hunk) => hunk.id === id)) {
      if (take) {
        this.#accepted.add(id);
      } else {
        this.#accepted.delete(id);
      }
      this.choice.leaveOut(id, !take);
    }
  }

  /** The file as it is and as it would be; `text` is what it holds now, undefined without a file. */
  sides(text: string | undefined): Sides {
    const { before } = sidesOf(this.#hunks, text);
    const kept = keptOf(this.#hunks, this.choice.leftOut());
    return { before, after: kept.length > 0 ? sidesOf(kept, text).after : before };
  }

  /** Where the parts are in `sides(text).after`, from above. */
  places(text: string | undefined): readonly Part[] {
    const isWhole = sidesOf(this.#hunks, text).before === text;
    let moved = 0;
    let below = 0; // where only the parts are shown: the line at which the next one begins
    return this.#hunks.map(({ id, kind, firstLine, before, after }) => {
      const taken = this.#taken(id);
      const line = isWhole && kind === "edit" ? firstLine - 1 + moved : below;
      moved += taken === false ? 0 : linesIn(after) - linesIn(before);
      below += taken === false ? 0 : linesIn(after) + 1;
      return { id, line, taken };
    });
  }

  /** The part at a line (from 0), or the last one above it. */
  at(line: number, text: string | undefined): string | undefined {
    const places = this.places(text);
    return (places.findLast((part) => part.line <= line) ?? places[0])?.id;
  }

  #taken(id: string): boolean | undefined {
    return this.choice.leftOut().has(id) ? false : this.#accepted.has(id) || undefined;
  }
}

function linesIn(text: string): number {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g)?.length ?? 0;
}
