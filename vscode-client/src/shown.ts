// Text of others as it is shown: nothing in it hides, moves other text, or passes for what it is not.
// The same rule as server/glossator/core/shown.py, which says what is escaped and why; nothing here
// knows of VS Code.

import { SHOWN } from "./wire.ts";

const UNSEEN = pattern(SHOWN.unseen);
const POSING = pattern(SHOWN.posing);
const LATIN = new RegExp(SHOWN.latin, "u");
const ALIKE = pattern(SHOWN.alike);
const ALL_ALIKE = new RegExp(`^(?:${SHOWN.allAlike})$`, "u");
const OWN_LETTER = new RegExp(SHOWN.ownLetter, "u");
const WORD = /[\p{L}\p{N}]+/gu; // letters and digits
const ENDS = /[\t\n]/g;
const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_LINES = /^[\x20-\x7e\t\n]*$/;
const LETTERS: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
};
const SUMMARY_CHARACTERS = 120;

/** One line; several, in which line ends and tabs stay; or Markdown, where letters stay, too. */
export type Kind = "line" | "text" | "prose";

/** A part of a text: as it is, or what is shown in the place of `hidden`. */
export interface Piece {
  readonly words: string;
  readonly hidden?: string;
}

/** The text in parts, so that what is escaped can stand out. */
export function pieces(text: string, kind: Kind): readonly Piece[] {
  if ((kind === "line" ? PLAIN : PLAIN_LINES).test(text)) {
    return [{ words: text }];
  }
  if (kind === "line") {
    return piecesOf(
      text,
      withBackslashes(text, new Set([...hiddenIn(text), ...found(ENDS, text)])),
    );
  }
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const hidden = kind === "text" ? hiddenIn : (line: string) => found(UNSEEN, line);
  return lines.flatMap((line, at) => [
    ...(at > 0 ? [{ words: "\n" }] : []),
    ...piecesOf(line, new Set(hidden(line))),
  ]);
}

/** A path, or another text, on one line. */
export function shown(text: string): string {
  return joined(pieces(text, "line"));
}

/** A text of many lines. */
export function shownText(text: string): string {
  return joined(pieces(text, "text"));
}

/** A text in words, in which letters of every language stay as they are. */
export function shownProse(text: string): string {
  return joined(pieces(text, "prose"));
}

/** As a label of VS Code's, in which `$(check)` would be an icon. */
export function labelled(text: string): string {
  return shown(text).replaceAll("$(", "\\$(");
}

/** As a message of VS Code's, in which `[x](command:…)` would be a link that runs something. */
export function literal(text: string): string {
  return shownText(text).replaceAll("](", "] (");
}

/** The beginning of a text on one line, which says how much more there is. */
export function summaryOf(text: string): string {
  const lines = text.trim().split("\n");
  const first = shown(lines[0] ?? "");
  const cut = first.length - SUMMARY_CHARACTERS;
  const more = lines.length - 1;
  return [
    cut > 0 ? first.slice(0, SUMMARY_CHARACTERS) : first,
    ...(cut > 0 ? [`… and ${cut} more character${cut === 1 ? "" : "s"}`] : []),
    ...(more > 0 ? [`… and ${more} more line${more === 1 ? "" : "s"}`] : []),
  ].join(" ");
}

function pattern(source: string): RegExp {
  return new RegExp(source, "gu");
}

function found(what: RegExp, text: string): number[] {
  return [...text.matchAll(what)].map(({ index }) => index);
}

/** Where the characters are that are not shown as they are. */
function hiddenIn(line: string): number[] {
  const hidden = [...found(UNSEEN, line), ...found(POSING, line)];
  if (found(ALIKE, line).length === 0) {
    return hidden;
  }
  const isOwn = OWN_LETTER.test(line);
  const words = [...line.matchAll(WORD)].filter(
    ([word]) => LATIN.test(word) || (!isOwn && ALL_ALIKE.test(word)),
  );
  return [
    ...hidden,
    ...words.flatMap(({ 0: word, index }) => found(ALIKE, word).map((at) => index + at)),
  ];
}

/** In one line that has an escape, a backslash is written twice: none can be forged. */
function withBackslashes(text: string, hidden: ReadonlySet<number>): ReadonlySet<number> {
  return hidden.size > 0 ? new Set([...hidden, ...found(/\\/g, text)]) : hidden;
}

function piecesOf(text: string, hidden: ReadonlySet<number>): Piece[] {
  const parts: Piece[] = [];
  let at = 0;
  for (const place of [...hidden].sort((one, other) => one - other)) {
    const character = String.fromCodePoint(text.codePointAt(place) ?? 0);
    parts.push({ words: text.slice(at, place) }, { words: escaped(character), hidden: character });
    at = place + character.length;
  }
  return [...parts, { words: text.slice(at) }].filter(({ words }) => words !== "");
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return (
    LETTERS[character] ??
    (code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`)
  );
}

function joined(parts: readonly Piece[]): string {
  return parts.map(({ words }) => words).join("");
}
