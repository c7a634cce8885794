// Text of others as it is shown: what cannot be seen, or passes for something else, is escaped. The
// same rule as server/glossator/core/shown.py; nothing here knows of VS Code.

// Controls, line separators, and what has no width or turns the direction of a line.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu;
const KEPT: ReadonlySet<string> = new Set("\n\t"); // where lines are
const LETTERS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const SUMMARY_CHARACTERS = 120;

/** A part of a text: as it is, or what is shown in the place of `unseen`. */
export interface Piece {
  readonly words: string;
  readonly unseen?: string;
}

/** The text in parts, so that what is escaped can stand out; `lines`: line ends and tabs stay. */
export function pieces(text: string, lines: boolean): readonly Piece[] {
  const parts: Piece[] = [];
  let at = 0;
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    if (!(lines && KEPT.has(unseen))) {
      parts.push({ words: text.slice(at, index) }, { words: escaped(unseen), unseen });
      at = index + unseen.length;
    }
  }
  return [...parts, { words: text.slice(at) }].filter(({ words }) => words !== "");
}

/** On one line. */
export function shown(text: string): string {
  return joined(pieces(text, false));
}

/** On as many lines as it has; tabs stay, too. */
export function shownLines(text: string): string {
  return joined(pieces(text, true));
}

/** As a label of VS Code's, in which `$(check)` would be an icon. */
export function labelled(text: string): string {
  return shown(text).replaceAll("$(", "\\$(");
}

/** The beginning of a text on one line, which says how much more there is. */
export function summaryOf(text: string): string {
  const lines = text.trim().split("\n");
  const first = shown(lines[0] ?? "");
  const cut = first.length - SUMMARY_CHARACTERS;
  const more = lines.length - 1;
  return [
    cut > 0 ? first.slice(0, SUMMARY_CHARACTERS) : first,
    ...(cut > 0 ? [`… and ${cut} more characters`] : []),
    ...(more > 0 ? [`… and ${more} more line${more === 1 ? "" : "s"}`] : []),
  ].join(" ");
}

function joined(parts: readonly Piece[]): string {
  return parts.map(({ words }) => words).join("");
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return LETTERS[character] ?? `\\u${code.toString(16).padStart(4, "0")}`;
}
