// Citations on the page: a small number with the state's sign, which opens the lines.

import { tell } from "../host.ts";
import {
  nameOf,
  placeOf,
  rewritten,
  type Source,
  type SourceState,
  stateOf,
} from "../state/cites.ts";
import { ICONS, type IconName } from "../ui/icons.ts";

/** How a state looks and what it is called. */
export const STATES: Readonly<
  Record<SourceState, { readonly icon: IconName; readonly words: string }>
> = {
  read: { icon: "check", words: "read" },
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
  const reason = source.citation?.reason;
  const { words } = STATES[stateOf(source, live)];
  return `${nameOf(source)}, ${words}${reason ? `. ${reason}` : ""}`;
}

/** Markdown to be pasted elsewhere: places for citations, with what checking them found wrong. */
export function forPasting(text: string, sources: ReadonlyMap<string, Source>): string {
  return rewritten(text, (mark) => {
    const source = sources.get(mark.key);
    const status = source?.citation ? stateOf(source, false) : "read";
    const doubt = holds(status) ? "" : `, ${STATES[status].words}`;
    return `(${placeOf(mark)}${doubt})`;
  });
}

/** Show the state of each citation in the element; by its place if `named`, else by its number. */
export function paint(
  element: HTMLElement,
  sources: ReadonlyMap<string, Source>,
  live: boolean,
  named: boolean,
): void {
  for (const button of element.querySelectorAll<HTMLElement>("button.cite")) {
    const source = sources.get(button.dataset["cite"] ?? "");
    button.hidden = !source; // until it is known, a mention may be of no file
    if (!source) {
      continue;
    }
    const state = stateOf(source, live);
    const label = `Source ${source.number}: ${describe(source, live)}`;
    if (button.ariaLabel === label) {
      continue; // as it is shown already
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
}

/** Open the lines of a source. */
export function open({ mark, citation }: Source): void {
  if (citation?.uri) {
    const firstLine = citation.firstLine ?? 1;
    tell({ type: "open", uri: citation.uri, firstLine, lastLine: citation.lastLine ?? firstLine });
  } else if (mark.kind === "doc") {
    tell({ type: "openPath", path: mark.target, line: mark.firstLine });
  }
}
