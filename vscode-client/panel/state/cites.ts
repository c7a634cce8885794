// Citations as the model writes them, `[cite: doc, PATH, L1-L2]` above all, and what checking them found.

import { shown } from "../../src/shown.ts";
import { CITATIONS } from "../../src/wire.ts";
import type { CheckedCitation, CitationState } from "../later.ts";
import type { Turn } from "./model.ts";

/** A citation as written; `key` is the same for the same lines however they are written. */
export interface Mark {
  readonly key: string;
  readonly kind: "doc" | "run" | "fact" | "task";
  /** A path, a fact's id, or the number of a command's run or of a task. */
  readonly target: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Where in a text marks are written; a mention is only one if its path is one of a file. */
export interface Written {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly isMention: boolean;
}

/** Where lines are mentioned in a text without code and marks. */
export interface Mentioned {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
}

/** A source of an answer: its number there, and the check's result once there is one. */
export interface Source {
  readonly number: number;
  readonly mark: Mark;
  readonly citation: CheckedCitation | null;
  /** It is of a file whose change by this turn was taken back. */
  readonly undone?: boolean;
}

/** What is shown of a citation; `pending` until it is checked, `unchecked` if it never was. */
export type SourceState = CitationState | "pending" | "unchecked" | "undone";

// The server's own grammar; of what it does not send yet, there are facts and tasks besides.
const TEXT = new RegExp(CITATIONS.text, "gim");
const HERE = new RegExp(CITATIONS.text, "yim");
const MENTION = new RegExp(CITATIONS.mention, "gim");
const CITE = new RegExp(`^(?:${CITATIONS.cite})$`, "i");
const BETWEEN = new RegExp(CITATIONS.between, "i");
const MOST_RUNS = 20; // that a range names
const ITEM = new RegExp(`^(?:${CITATIONS.item})$`, "i");
const LINES = new RegExp(`^(?:${CITATIONS.lines})$`, "i");
const SPAN = new RegExp(CITATIONS.span, "gi");
const OTHER = /^\s*(?:fact\s*,\s*(?<fact>[^\s,]+)\s*,\s*null|task\s*,\s*(?<task>[^\s,]+))\s*$/i;
const UNFINISHED = /\[(?:c(?:i(?:t(?:e(?::(?:[^\][\n]|\[[^\][\n]*\]?)*)?)?)?)?)?$/i;

/** The citations that a text names, in order: marks, and mentions, which may be of no file. */
export function marksIn(text: string): readonly Written[] {
  return [...text.matchAll(TEXT)].flatMap((found): Written[] => {
    const { body } = found.groups ?? {};
    const end = found.index + found[0].length;
    const isMention = body === undefined;
    const marks = isMention ? mentionOf(found, text.startsWith("](", end)) : marksOf(body);
    return marks.length > 0 ? [{ start: found.index, end, marks, isMention }] : [];
  });
}

/** The mark that begins at an offset, and how long it is. */
export function markAt(
  text: string,
  at: number,
): { marks: readonly Mark[]; length: number } | null {
  HERE.lastIndex = at;
  const found = HERE.exec(text);
  const marks = marksOf(found?.groups?.["body"] ?? "");
  return found && marks.length > 0 ? { marks, length: found[0].length } : null;
}

/** The mentions in a text without code and marks. */
export function mentionsIn(text: string): readonly Mentioned[] {
  return [...text.matchAll(MENTION)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    marks: linesOf(found),
  }));
}

/** The mention that is all of quoted code, or the mark that stands there. */
export function mentionInCode(code: string): readonly Mark[] {
  const cited = CITE.exec(code)?.groups?.["body"];
  if (cited !== undefined) {
    return marksOf(cited);
  }
  const [mention] = mentionsIn(code);
  return mention?.start === 0 && mention.end === code.length ? mention.marks : [];
}

/** The text without a citation that has only begun, so that its letters do not flash by. */
export function withoutUnfinished(text: string): string {
  return text.replace(UNFINISHED, "");
}

/** The text with what `show` says in the place of each mark; mentions and code stay as they are. */
export function rewritten(text: string, show: (mark: Mark) => string): string {
  let at = 0;
  const parts = marksIn(text)
    .filter(({ isMention }) => !isMention)
    .flatMap(({ start, end, marks }) => {
      const before = text.slice(at, start);
      at = end;
      return [before, marks.map(show).join(" ")];
    });
  return [...parts, text.slice(at)].join("");
}

/** The sources of a turn's text in the order in which it names them, each once. */
export function sourcesOf(turn: Turn): ReadonlyMap<string, Source> {
  const texts = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const sources = sourcesIn(texts, turn.citations);
  if (!turn.undone) {
    return sources;
  }
  const changed = changedBy(turn);
  return new Map(
    [...sources].map(([key, source]) => {
      const undone = changed.has(pathOf(source.citation?.uri ?? ""));
      return [key, undone ? { ...source, undone } : source];
    }),
  );
}

/** The files that a turn's edits changed. */
function changedBy({ parts }: Turn): ReadonlySet<string> {
  const edits = parts
    .filter((part) => part.kind === "edit")
    .filter((part) => part.settled?.applied);
  return new Set(edits.flatMap(({ plan }) => plan.hunks.map(({ path }) => path)));
}

function pathOf(uri: string): string {
  return URL.canParse(uri) ? decodeURIComponent(new URL(uri).pathname) : "";
}

/** The sources that some texts name. */
export function sourcesIn(
  texts: readonly string[],
  citations: readonly CheckedCitation[],
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const { marks, isMention } of texts.flatMap(marksIn)) {
    for (const mark of marks) {
      const citation = checked(citations, mark);
      if (!sources.has(mark.key) && (citation || !isMention)) {
        sources.set(mark.key, { number: sources.size + 1, mark, citation });
      }
    }
  }
  for (const citation of citations.filter(({ target }) => target.startsWith("["))) {
    const mark = withKey({ kind: "doc", target: citation.target, firstLine: 0, lastLine: 0 });
    sources.set(mark.key, { number: sources.size + 1, mark, citation }); // it could not be read
  }
  return sources;
}

/** How a source stands. */
export function stateOf(source: Source, live: boolean): SourceState {
  if (source.undone) {
    return "undone";
  }
  return source.citation?.status ?? (live ? "pending" : "unchecked");
}

/** What a source is called: a run by its command, too. */
export function nameOf({ mark, citation }: Source): string {
  return shown(mark.kind === "run" ? (citation?.target ?? placeOf(mark)) : placeOf(mark));
}

/** `path:10` or `path:10-20`; facts, runs and tasks by name. */
export function placeOf({ kind, target, firstLine, lastLine }: Mark): string {
  if (kind !== "doc") {
    return `${kind} ${target}`;
  }
  if (firstLine === 0) {
    return target;
  }
  return firstLine === lastLine ? `${target}:${firstLine}` : `${target}:${firstLine}-${lastLine}`;
}

/** The places that a mark names; none if there is a part that names none. */
function marksOf(body: string): readonly Mark[] {
  const other = OTHER.exec(body)?.groups;
  if (other) {
    const kind = other["fact"] === undefined ? ("task" as const) : ("fact" as const);
    const target = other["fact"] ?? other["task"] ?? "";
    return [withKey({ kind, target, firstLine: 0, lastLine: 0 })];
  }
  const ways = [body.split(BETWEEN), body.split(";"), [body]]; // a path may hold a `,` or a `;`
  return ways.map(places).find((marks) => marks.length > 0) ?? [];
}

function places(items: readonly string[]): readonly Mark[] {
  const marks: Mark[] = [];
  let path: string | undefined;
  for (const item of items) {
    const named = ITEM.exec(item) ?? (path === undefined ? null : LINES.exec(item));
    if (!named) {
      return [];
    }
    const { runs, path: other = path, lines = "" } = named.groups ?? {};
    path = runs === undefined ? other : undefined;
    marks.push(...[...(runs ?? "").matchAll(SPAN)].flatMap(runMarks));
    marks.push(...[...lines.matchAll(SPAN)].map((span) => lineMark(path ?? "", span)));
  }
  return marks;
}

/** The lines that were found to be mentioned, or what is all of quoted code. */
function mentionOf(found: RegExpExecArray, isLink: boolean): readonly Mark[] {
  const { code, path } = found.groups ?? {};
  if (code !== undefined) {
    return isLink ? [] : mentionInCode(code);
  }
  return path === undefined ? [] : linesOf(found);
}

function linesOf(mention: RegExpExecArray): readonly Mark[] {
  const { path = "", lines = "" } = mention.groups ?? {};
  const spans = lines.split(",").flatMap((each) => [...each.matchAll(SPAN)]);
  return spans.map((span) => lineMark(path, span));
}

function lineMark(target: string, span: RegExpExecArray): Mark {
  const [firstLine, lastLine] = ends(span);
  return withKey({ kind: "doc", target, firstLine, lastLine });
}

function runMarks(span: RegExpExecArray): readonly Mark[] {
  const [first, last] = ends(span);
  const length = Math.max(0, Math.min(last - first + 1, MOST_RUNS));
  return Array.from({ length }, (_, at) =>
    withKey({ kind: "run", target: String(first + at), firstLine: 0, lastLine: 0 }),
  );
}

function ends(span: RegExpExecArray): readonly [number, number] {
  const { first = "", last = first } = span.groups ?? {};
  return [Number(first.replaceAll(",", "")), Number(last.replaceAll(",", ""))];
}

function withKey(mark: Omit<Mark, "key">): Mark {
  return { ...mark, key: `${mark.kind} ${mark.target} ${mark.firstLine}-${mark.lastLine}` };
}

/** By its lines; those of one that could not be resolved are as written, or none. */
function checked(citations: readonly CheckedCitation[], mark: Mark): CheckedCitation | null {
  const target = mark.kind === "doc" ? mark.target : `${mark.kind} ${mark.target}`;
  const same = citations.filter(
    (each) =>
      each.target === target || (mark.kind === "run" && each.target.startsWith(`${target}:`)),
  );
  return (
    same.find((each) => each.firstLine === mark.firstLine && each.lastLine === mark.lastLine) ??
    same.find((each) => each.firstLine === null || mark.kind !== "doc") ??
    null
  );
}
