// Citations on the page: a small number with the state's sign, which opens the lines.

import { tell } from "../host.ts";
import { placeOf, rewritten } from "../state/cites.ts";
import { pointsIn } from "../state/offsets.ts";
import {
  BASES,
  nameOf,
  presentLines,
  type Source,
  type SourceState,
  sourceAt,
  stateOf,
} from "../state/sources.ts";
import { ICONS, type IconName } from "../ui/icons.ts";

/** How a state looks and what it is called. */
export const STATES: Readonly<
  Record<SourceState, { readonly icon: IconName; readonly words: string }>
> = {
  read: { icon: "circle-large", words: "not judged: the lines were only read" },
  verified: { icon: "verified", words: "verified" },
  contradicted: { icon: "close", words: "contradicted by these lines" },
  unsupported: { icon: "question", words: "unsupported" },
  moved: { icon: "arrow-right", words: "the lines have moved" },
  stale: { icon: "history", words: "stale: the lines have changed since" },
  undone: { icon: "discard", words: "undone: what this turn changed here was taken back" },
  pending: { icon: "ellipsis", words: "not checked yet" },
  unchecked: { icon: "circle-slash", words: "was not checked" },
};

/** Whether nothing is known against a citation in this state. */
export function holds(state: SourceState): boolean {
  return state === "read" || state === "verified";
}

/** What a source is, in words. */
export function describe(source: Source, live: boolean): string {
  const { basis, reason } = source.citation ?? {};
  const { words } = STATES[stateOf(source, live)];
  const judged = basis && !source.undone ? `, ${BASES[basis]}` : "";
  return `${nameOf(source)}, ${words}${judged}${reason ? `. ${reason}` : ""}`;
}

/** Markdown to be pasted elsewhere: places for citations, with what checking them found wrong. */
export function forPasting(
  text: string,
  sources: ReadonlyMap<string, Source>,
  reply: number,
): string {
  const points = pointsIn(text);
  return rewritten(text, (mark, start) => {
    const known = sources.get(mark.key);
    const source = known && sourceAt(known, `${reply}:${points(start)}`);
    const status = source?.citation ? stateOf(source, false) : "read";
    const doubt = holds(status) ? "" : `, ${STATES[status].words}`;
    return `(${placeOf(mark)}${doubt})`;
  });
}

/** How the citations of a text are shown. */
export interface Painting {
  readonly sources: ReadonlyMap<string, Source>;
  /** The places of its marks, by their keys, in the order in which they are written. */
  readonly spots: ReadonlyMap<string, readonly string[]>;
  /** More of it may come. */
  readonly live: boolean;
  /** They show their places, not their numbers. */
  readonly named: boolean;
}

/** Show the state of each citation in the element. */
export function paint(element: HTMLElement, painting: Painting): void {
  const met = new Map<string, number>();
  for (const button of element.querySelectorAll<HTMLElement>("button.cite")) {
    const key = button.dataset["cite"] ?? "";
    const nth = met.get(key) ?? 0;
    met.set(key, nth + 1);
    paintOne(button, painting, painting.spots.get(key)?.[nth]);
  }
}

function paintOne(
  button: HTMLElement,
  { sources, live, named }: Painting,
  place: string | undefined,
): void {
  const known = sources.get(button.dataset["cite"] ?? "");
  button.hidden = !known; // until it is known, a mention may be of no file
  if (!known) {
    return;
  }
  button.dataset["place"] = place ?? "";
  const source = sourceAt(known, place);
  const state = stateOf(source, live);
  const label = `Source ${source.number}: ${describe(source, live)}`;
  if (button.ariaLabel === label) {
    return; // as it is shown already
  }
  const sign = document.createElement("span");
  sign.className = "icon";
  sign.ariaHidden = "true";
  sign.textContent = ICONS[STATES[state].icon];
  button.className = `cite ${state} ${named ? "named" : ""}`;
  button.title = describe(source, live);
  button.ariaLabel = label;
  button.replaceChildren(named ? nameOf(source) : String(source.number), sign);
}

/** Open the lines of a source, where they are now, or say why there is nothing to open. */
export function open(source: Source): void {
  const { mark, citation } = source;
  if (citation?.uri) {
    tell({ type: "open", uri: citation.uri, ...presentLines(citation) });
  } else if (mark.kind === "doc" && citation === null) {
    tell({ type: "openPath", path: mark.target, line: mark.firstLine });
  } else {
    tell({ type: "inform", text: `No lines can be opened for ${describe(source, false)}` });
  }
}
