// Characters of an answer that cannot be seen: escaped on the page, and themselves when copied.

import { pieces } from "../../src/shown.ts";

/** Show them in all text of the element, code included. */
export function reveal(element: HTMLElement): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    texts.push(walker.currentNode as Text);
  }
  for (const text of texts) {
    const parts = pieces(text.data, true);
    if (parts.some(({ unseen }) => unseen !== undefined)) {
      text.replaceWith(...parts.map(({ words, unseen }) => (unseen ? sign(words, unseen) : words)));
    }
  }
}

/** The text as it was written. */
export function textOf(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const each of copy.querySelectorAll<HTMLElement>(".escaped")) {
    each.replaceWith(each.dataset["unseen"] ?? "");
  }
  return copy.textContent ?? "";
}

function sign(words: string, unseen: string): HTMLElement {
  const made = document.createElement("span");
  made.className = "escaped";
  made.dataset["unseen"] = unseen;
  made.textContent = words;
  return made;
}
