// Of a long text what is drawn: its beginning and its end.

import { plural } from "../../src/commands/markdown.ts";

const MOST_LINES = 1000; // more are not drawn: half from each end
const MOST_CHARACTERS = 200_000;

/** A text whole, or of a long one both ends, and how much is between. */
export function endsOf(text: string): {
  readonly before: string;
  readonly missing: string;
  readonly after: string;
} {
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) {
    const half = MOST_LINES / 2;
    const [before, after] = [lines.slice(0, half), lines.slice(-half)];
    const ends = endsOf(`${before.join("\n")}\n`);
    const last = endsOf(`\n${after.join("\n")}`);
    if (!(ends.missing || last.missing)) {
      const missing = plural(lines.length - MOST_LINES, "more line");
      return { before: ends.before, missing, after: last.before };
    }
  }
  if (text.length <= MOST_CHARACTERS) {
    return { before: text, missing: "", after: "" };
  }
  const half = MOST_CHARACTERS / 2;
  return {
    before: text.slice(0, half),
    missing: plural(text.length - MOST_CHARACTERS, "more character"),
    after: text.slice(-half),
  };
}

/** How many lines a text has; a line may end with the text. */
export function linesIn(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
