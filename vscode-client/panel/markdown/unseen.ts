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
    const parts = pieces(text.data, "prose");
    if (parts.some(({ hidden }) => hidden !== undefined)) {
      text.replaceWith(...parts.map(({ words, hidden }) => (hidden ? sign(words, hidden) : words)));
    }
  }
}

/** The text as it was written. */
export function textOf(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const each of copy.querySelectorAll<HTMLElement>(".escaped")) {
    each.replaceWith(each.dataset["hidden"] ?? "");
  }
  return copy.textContent ?? "";
}

function sign(words: string, hidden: string): HTMLElement {
  const made = document.createElement("span");
  made.className = "escaped";
  made.dataset["hidden"] = hidden;
  made.textContent = words;
  return made;
}
