// Citations as the model writes them, `[cite: doc, PATH, L1-L2]`, and what checking them found.

import type { CheckedCitation, CitationState } from "../later.ts";
import type { Turn } from "./model.ts";

/** A citation as written; `key` is the same for the same lines however they are written. */
export interface Mark {
  readonly key: string;
  readonly kind: "doc" | "fact" | "task";
  /** A path, a fact's id or a task's number. */
  readonly target: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** A source of an answer: its number there, and the check's result once there is one. */
export interface Source {
  readonly number: number;
  readonly mark: Mark;
  readonly citation: CheckedCitation | null;
}

/** What is shown of a citation; `pending` until it is checked, `unchecked` if it never was. */
export type SourceState = CitationState | "pending" | "unchecked";

// The same forms as the server takes; a path may hold brackets: app/[id]/[[...rest]]/page.tsx
const PATH = String.raw`(?=[^\s,])(?:[^\][\n]|\[(?:[^\][\n]|\[[^\][\n]*\])*\])+?`;
const FORMS = [
  String.raw`doc\s*,\s*(?<path>${PATH})\s*,\s*L?(?<first>\d{1,9})(?:\s*[-–]\s*L?(?<last>\d{1,9}))?`,
  String.raw`fact\s*,\s*(?<fact>[^\s,\]]+)\s*,\s*null`,
  String.raw`task\s*,\s*(?<task>[^\s,\]]+)`,
];
const SOURCE = String.raw`\[cite:\s*(?:${FORMS.join("|")})\s*\]`;
const HERE = new RegExp(SOURCE, "y");
const ANYWHERE = new RegExp(SOURCE, "g");
const FENCED = /^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ *\1[`~]* *$|$(?![\s\S]))/gm;
const CODE_OR_SOURCE = new RegExp(`${FENCED.source}|\`[^\`\\n]+\`|${SOURCE}`, "gm");
const UNFINISHED = /\[(?:c(?:i(?:t(?:e(?::[^\]\n]*)?)?)?)?)?$/;

/** The citation that begins at an offset, and how long it is. */
export function markAt(text: string, at: number): { mark: Mark; length: number } | null {
  HERE.lastIndex = at;
  const found = HERE.exec(text);
  return found ? { mark: toMark(found), length: found[0].length } : null;
}

/** The text without a citation that has only begun, so that its letters do not flash by. */
export function withoutUnfinished(text: string): string {
  return text.replace(UNFINISHED, "");
}

/** The text with what `show` says in the place of each citation; code stays as it is. */
export function rewritten(text: string, show: (mark: Mark) => string): string {
  return text.replace(CODE_OR_SOURCE, (found) => {
    const cited = markAt(found, 0);
    return cited ? show(cited.mark) : found;
  });
}

/** The sources of a turn's text in the order in which it names them, each once. */
export function sourcesOf(turn: Turn): ReadonlyMap<string, Source> {
  const texts = turn.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return sourcesIn(texts, turn.citations);
}

/** The sources that some texts name. */
export function sourcesIn(
  texts: readonly string[],
  citations: readonly CheckedCitation[],
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const text of texts) {
    for (const found of text.replace(FENCED, "").matchAll(ANYWHERE)) {
      const mark = toMark(found);
      if (!sources.has(mark.key)) {
        const citation = checked(citations, mark);
        sources.set(mark.key, { number: sources.size + 1, mark, citation });
      }
    }
  }
  return sources;
}

/** How a source stands. */
export function stateOf(source: Source, live: boolean): SourceState {
  return source.citation?.status ?? (live ? "pending" : "unchecked");
}

/** `path:10` or `path:10-20`; facts and tasks by name. */
export function placeOf({ kind, target, firstLine, lastLine }: Mark): string {
  if (kind !== "doc") {
    return `${kind} ${target}`;
  }
  return firstLine === lastLine ? `${target}:${firstLine}` : `${target}:${firstLine}-${lastLine}`;
}

function toMark(found: RegExpExecArray): Mark {
  const { path, first, last, fact, task } = found.groups ?? {};
  if (path !== undefined && first !== undefined) {
    const lines = { firstLine: Number(first), lastLine: Number(last ?? first) };
    return withKey({ kind: "doc", target: path, ...lines });
  }
  const other = fact !== undefined ? ("fact" as const) : ("task" as const);
  return withKey({ kind: other, target: fact ?? task ?? "", firstLine: 0, lastLine: 0 });
}

function withKey(mark: Omit<Mark, "key">): Mark {
  return { ...mark, key: `${mark.kind} ${mark.target} ${mark.firstLine}-${mark.lastLine}` };
}

/** By its lines; one that could not be resolved has none, or those that are not there. */
function checked(citations: readonly CheckedCitation[], mark: Mark): CheckedCitation | null {
  const target = mark.kind === "doc" ? mark.target : `${mark.kind} ${mark.target}`;
  const same = citations.filter((each) => each.target === target);
  return (
    same.find((each) => each.firstLine === mark.firstLine && each.lastLine === mark.lastLine) ??
    same.find((each) => each.firstLine === null || mark.kind !== "doc") ??
    null
  );
}
