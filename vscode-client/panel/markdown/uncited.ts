// Sentences that cite nothing: a dotted line below them. Where a sentence stands on the page is found
// by its letters, as Markdown's signs are not on the page, and what is shown of citations is not in it.

import { rewritten } from "../state/cites.ts";

/** What is said of such a sentence. */
export const CITES_NOTHING = "This sentence cites nothing.";

const LETTER = /[\p{L}\p{N}]/gu;
const ADDRESS = /\]\([^)\n]*\)/g;
const NOT_PROSE = "button.cite, .code, .unseen, svg, figure";
const BEFORE = 40; // letters that tell a sentence from another of the same words

/** Where sentences are in a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const underlined = new WeakMap<HTMLElement, string>();

/**
 * Underline the sentences of a text in the element that shows it; others are not underlined. `ranges`
 * are in their order. An element that has them is left alone: an answer that grows has many.
 */
export function underline(element: HTMLElement, text: string, ranges: readonly Range[]): void {
  const wanted = ranges.map(({ start, end }) => `${start}-${end}`).join();
  if (wanted === (underlined.get(element) ?? "")) {
    return;
  }
  underlined.set(element, wanted);
  for (const old of element.querySelectorAll(".uncited")) {
    old.replaceWith(...old.childNodes);
  }
  for (const old of element.querySelectorAll(".uncited-note")) {
    old.remove();
  }
  element.normalize();
  const shown = lettersOn(element);
  // From the last to the first: where the letters before one are stays as it is.
  for (const { start, end } of ranges.toReversed()) {
    const before = lettersOf(text.slice(0, start)).slice(-BEFORE);
    const sentence = lettersOf(text.slice(start, end));
    const found = shown.letters.indexOf(before + sentence);
    const first = found < 0 ? shown.letters.indexOf(sentence) : found + before.length;
    if (sentence !== "" && first >= 0) {
      wrap(shown.at.slice(first, first + sentence.length));
    }
  }
}

function lettersOf(markdown: string): string {
  const words = rewritten(markdown, () => "").replace(ADDRESS, "]");
  return (words.match(LETTER) ?? []).join("");
}

interface Letter {
  readonly node: Text;
  readonly start: number;
  readonly end: number;
}

/** The letters of an element's prose, and where each of their UTF-16 units is. */
function lettersOn(element: HTMLElement): {
  readonly letters: string;
  readonly at: readonly Letter[];
} {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const at: Letter[] = [];
  let letters = "";
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.parentElement?.closest(NOT_PROSE)) {
      continue;
    }
    for (const { 0: letter, index } of node.data.matchAll(LETTER)) {
      letters += letter;
      const where = { node, start: index, end: index + letter.length };
      at.push(...Array.from({ length: letter.length }, () => where)); // one for each UTF-16 unit
    }
  }
  return { letters, at };
}

/** A line below these letters and what stands between them; it can be reached and heard. */
function wrap(letters: readonly Letter[]): void {
  const nodes = [...new Set(letters.map(({ node }) => node))];
  const pieces = nodes.map((node, number) => {
    const own = letters.filter((each) => each.node === node);
    const range = document.createRange();
    range.setStart(node, number === 0 ? (own[0]?.start ?? 0) : 0);
    range.setEnd(node, number === nodes.length - 1 ? (own.at(-1)?.end ?? 0) : node.length);
    const span = document.createElement("span");
    span.className = "uncited";
    span.title = CITES_NOTHING;
    return { range, span };
  });
  for (const { range, span } of pieces.toReversed()) {
    range.surroundContents(span);
  }
  const [first, last] = [pieces[0]?.span, pieces.at(-1)?.span];
  const note = document.createElement("span");
  note.className = "unseen uncited-note";
  note.textContent = ` (${CITES_NOTHING})`;
  last?.after(note);
  first?.setAttribute("tabindex", "0");
}
