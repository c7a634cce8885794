// Citations as the model writes them, `[cite: doc, PATH, L1-L2]` above all.

import { CITATIONS } from "../../src/wire.ts";

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
export type Mentioned = Omit<Written, "isMention">;

// The server's own grammar.
const TEXT = new RegExp(CITATIONS.text, "gim");
const HERE = new RegExp(CITATIONS.text, "yim");
const MENTION = new RegExp(CITATIONS.mention, "gim");
const CITE = new RegExp(`^(?:${CITATIONS.cite})$`, "i");
const BETWEEN = new RegExp(CITATIONS.between, "i");
const MOST_RUNS = 20; // or tasks, that a range names
const ITEM = new RegExp(`^(?:${CITATIONS.item})$`, "i");
const LINES = new RegExp(`^(?:${CITATIONS.lines})$`, "i");
const SPAN = new RegExp(CITATIONS.span, "gi");
const LINK_TO = /\[([^\][\n]{1,500})\]\($/; // what stands before a mark that a link leads to
const LINKED = /\[([^\][\n]{1,500})\]\((?=\[)/y;
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

/** The words of the link that begins at an offset and leads to a mark, and where the mark begins. */
export function linkTo(text: string, at: number): { words: number; mark: number } | null {
  LINKED.lastIndex = at;
  const found = LINKED.exec(text);
  return found ? { words: (found[1] ?? "").length, mark: at + found[0].length } : null;
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
export function rewritten(text: string, show: (mark: Mark, start: number) => string): string {
  let at = 0;
  const parts = marksIn(text)
    .filter(({ isMention }) => !isMention)
    .flatMap(({ start, end, marks }) => {
      const before = text.slice(at, start);
      const isLinked = text[end] === ")" && LINK_TO.test(before);
      at = isLinked ? end + 1 : end;
      const words = isLinked ? before.replace(LINK_TO, "$1 ") : before;
      return [words, marks.map((mark) => show(mark, start)).join(" ")];
    });
  return [...parts, text.slice(at)].join("");
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
    const { runs = "", tasks = "", fact, lines = "", path: other = path } = named.groups ?? {};
    path = lines === "" ? undefined : other;
    marks.push(...numbered("run", runs), ...numbered("task", tasks));
    marks.push(...(fact === undefined ? [] : [nameMark("fact", fact)]));
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

/** Of `2, 4-6`: 2, 4, 5, 6. */
function numbered(kind: "run" | "task", ranges: string): readonly Mark[] {
  return [...ranges.matchAll(SPAN)].flatMap((span) => {
    const [first, last] = ends(span);
    const length = Math.max(0, Math.min(last - first + 1, MOST_RUNS));
    return Array.from({ length }, (_, at) => nameMark(kind, String(first + at)));
  });
}

function nameMark(kind: Mark["kind"], target: string): Mark {
  return withKey({ kind, target, firstLine: 0, lastLine: 0 });
}

function ends(span: RegExpExecArray): readonly [number, number] {
  const { first = "", last = first } = span.groups ?? {};
  return [Number(first.replaceAll(",", "")), Number(last.replaceAll(",", ""))];
}

/** A mark with its key. */
export function withKey(mark: Omit<Mark, "key">): Mark {
  return { ...mark, key: `${mark.kind} ${mark.target} ${mark.firstLine}-${mark.lastLine}` };
}
