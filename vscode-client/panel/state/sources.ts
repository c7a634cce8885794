// What an answer rests on: the places that it cites, and what checking each citation found.

import { shown } from "../../src/shown.ts";
import { type Basis, type Citation, type CitationStatus, GRAVEST } from "../../src/wire.ts";
import { type Mark, marksIn, placeOf, withKey } from "./cites.ts";
import type { Found, Turn, Uncited } from "./model.ts";
import { lengthOf, offsetsIn, pointsIn } from "./offsets.ts";

/** A piece of a reply's text; `from` is where it begins there, in the server's characters. */
export interface Piece {
  readonly text: string;
  readonly reply: number;
  readonly from: number;
}

/** A source of an answer: its number there, and the check's results once there are some. */
export interface Source {
  readonly number: number;
  readonly mark: Mark;
  /** The gravest of those in its places. */
  readonly citation: Citation | null;
  /** By the places of its marks: two sentences may cite the same lines, and one be wrong. */
  readonly places: ReadonlyMap<string, Citation | null>;
  /** It is of a file whose change by this turn was taken back. */
  readonly undone?: boolean;
}

/** What is shown of a citation; `pending` until it is checked, `unchecked` if it never was. */
export type SourceState = CitationStatus | "pending" | "unchecked" | "undone";

/** Who judged, in words. */
export const BASES: Readonly<Record<Basis, string>> = {
  checks: "checked by rules",
  model: "judged by a model",
  server: "proved by a language server",
};

/** The texts of a turn's parts, by their places among the parts. */
export function piecesOf({ parts }: Turn): ReadonlyMap<number, Piece> {
  const pieces = new Map<number, Piece>();
  let before: Piece | undefined;
  parts.forEach((part, at) => {
    if (part.kind === "text") {
      const goesOn = before?.reply === part.reply;
      const from = before && goesOn ? before.from + lengthOf(before.text) : 0;
      before = { text: part.text, reply: part.reply, from };
      pieces.set(at, before);
    }
  });
  return pieces;
}

/** The sources of a turn's text in the order in which it names them, each once. */
export function sourcesOf(turn: Turn): ReadonlyMap<string, Source> {
  const sources = sourcesIn([...piecesOf(turn).values()], turn.citations);
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

/** The path of a file; "" for another thing. */
export function pathOf(uri: string): string {
  return URL.canParse(uri) ? decodeURIComponent(new URL(uri).pathname) : "";
}

/** The sources of a text that is a whole of its own. */
export function sourcesOfText(
  text: string,
  citations: readonly Citation[],
): ReadonlyMap<string, Source> {
  const found = citations.map((each) => ({ ...each, reply: 0 }));
  return sourcesIn([{ text, reply: 0, from: 0 }], found);
}

/** The sources that some texts name. */
export function sourcesIn(
  pieces: readonly Piece[],
  citations: readonly Found[],
): ReadonlyMap<string, Source> {
  const written = pieces.flatMap(placedIn);
  const isPlace = new Set(written.map(({ place }) => place));
  const placed = citations.filter((each) => isPlace.has(placeIn(each)));
  const anywhere = citations.filter((each) => !isPlace.has(placeIn(each)));
  const sources = new Map<string, Source>();
  for (const { mark, place, isMention } of written) {
    const here = placed.filter((each) => placeIn(each) === place);
    const citation = checked(here, mark) ?? checked(anywhere, mark);
    if (citation || !isMention) {
      sources.set(mark.key, withPlace(sources, mark, place, citation));
    }
  }
  for (const citation of citations.filter(({ target }) => target.startsWith("["))) {
    const mark = withKey({ kind: "doc", target: citation.target, firstLine: 0, lastLine: 0 });
    sources.set(mark.key, withPlace(sources, mark, "", citation)); // it could not be read
  }
  return sources;
}

interface Placed {
  readonly mark: Mark;
  readonly place: string;
  readonly isMention: boolean;
}

function placedIn({ text, reply, from }: Piece): readonly Placed[] {
  const points = pointsIn(text);
  return marksIn(text).flatMap(({ marks, start, isMention }) => {
    const place = placeIn({ reply, at: from + points(start) });
    return marks.map((mark) => ({ mark, place, isMention }));
  });
}

function placeIn({ reply, at }: { reply: number; at?: number | null }): string {
  return at == null ? "" : `${reply}:${at}`;
}

function withPlace(
  sources: ReadonlyMap<string, Source>,
  mark: Mark,
  place: string,
  citation: Citation | null,
): Source {
  const before = sources.get(mark.key);
  const places = new Map(before?.places).set(place, citation);
  const number = before?.number ?? sources.size + 1;
  return { number, mark, citation: gravest([...places.values()]), places };
}

/** The places of a text's marks, by their keys, in the order in which they are written. */
export function spotsIn(piece: Piece): ReadonlyMap<string, readonly string[]> {
  const spots = new Map<string, string[]>();
  for (const { mark, place } of placedIn(piece)) {
    spots.set(mark.key, [...(spots.get(mark.key) ?? []), place]);
  }
  return spots;
}

/** The source with what was found of its mark in this place. */
export function sourceAt(source: Source, place: string | undefined): Source {
  const citation = place === undefined ? undefined : source.places.get(place);
  return citation === undefined ? source : { ...source, citation };
}

/** The source once for each thing that was found of it, what is gravest first. */
export function verdictsOf(source: Source): readonly Source[] {
  const found = new Map<string, Citation | null>();
  for (const citation of source.places.values()) {
    found.set(citation ? `${citation.status} ${citation.reason}` : "", citation);
  }
  const citations = [...found.values()].sort((one, other) => gravity(one) - gravity(other));
  return source.undone ? [source] : citations.map((citation) => ({ ...source, citation }));
}

/** The sentences of a piece that cite nothing, as offsets in its text. */
export function uncitedIn(
  { text, reply, from }: Piece,
  uncited: readonly Uncited[],
): readonly { readonly start: number; readonly end: number }[] {
  const offset = offsetsIn(text);
  const length = lengthOf(text);
  return uncited
    .filter((each) => each.reply === reply)
    .filter(({ start, end }) => start >= from && end <= from + length)
    .map(({ start, end }) => ({ start: offset(start - from), end: offset(end - from) }))
    .sort((one, other) => one.start - other.start);
}

/** What is shown of a source. */
export function stateOf(source: Source, live: boolean): SourceState {
  if (source.undone) {
    return "undone";
  }
  return source.citation?.status ?? (live ? "pending" : "unchecked");
}

/** What a source is called: a run by its command, too. */
export function nameOf({ mark, citation }: Source): string {
  const cell = citation?.cell ? ` (cell ${citation.cell})` : "";
  return shown(mark.kind === "run" ? (citation?.target ?? placeOf(mark)) : placeOf(mark) + cell);
}

/** The lines to open: where they are now, or the part that was read of them. */
export function presentLines(citation: Citation): { firstLine: number; lastLine: number } {
  const firstLine = citation.movedTo ?? citation.firstLine ?? 1;
  return { firstLine, lastLine: citation.movedUntil ?? citation.lastLine ?? firstLine };
}

/** By its lines; those of one that could not be resolved are as written, or none. */
function checked(citations: readonly Citation[], mark: Mark): Citation | null {
  const target = mark.kind === "doc" ? mark.target : `${mark.kind} ${mark.target}`;
  const same = citations.filter(
    (each) =>
      each.target === target || (mark.kind === "run" && each.target.startsWith(`${target}:`)),
  );
  if (mark.kind !== "doc") {
    return gravest(same);
  }
  const lines = same.filter(
    (each) => each.firstLine === mark.firstLine && each.lastLine === mark.lastLine,
  );
  return gravest(lines) ?? gravest(same.filter(({ firstLine }) => firstLine === null));
}

/** What most speaks against a claim. */
function gravest(citations: readonly (Citation | null)[]): Citation | null {
  return citations.reduce(
    (one, other) => (gravity(other) < gravity(one) ? other : one),
    citations[0] ?? null,
  );
}

function gravity(citation: Citation | null): number {
  return citation ? GRAVEST.indexOf(citation.status) : GRAVEST.length;
}
