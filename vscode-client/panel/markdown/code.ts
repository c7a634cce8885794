// What a block of code gets besides its text: its language, and buttons to copy and to insert it.

import { ICONS, type IconName } from "../ui/icons.ts";
import { textOf } from "./unseen.ts";

/** Give each block of code in the element its line of buttons. */
export function dress(element: HTMLElement): void {
  for (const code of element.querySelectorAll<HTMLElement>(".code")) {
    const head = document.createElement("div");
    head.className = "code-head";
    const language = document.createElement("span");
    language.textContent = code.dataset["language"] ?? "";
    head.append(
      language,
      button("insert", "insert", "Insert at the cursor"),
      button("copy", "copy", "Copy"),
    );
    code.prepend(head);
    scrolls(code.querySelector("pre"), "Code");
  }
  for (const link of element.querySelectorAll("a")) {
    link.title = link.href;
  }
  for (const table of element.querySelectorAll("table")) {
    const wide = document.createElement("div");
    wide.className = "wide";
    table.replaceWith(wide);
    wide.append(table);
    scrolls(wide, "Table");
  }
}

/** It may be wider or higher than its box, and is scrolled by keys as well. */
function scrolls(box: HTMLElement | null, name: string): void {
  if (box) {
    box.tabIndex = 0;
    box.role = "group";
    box.ariaLabel = name;
  }
}

/** The code that a button stands above. */
export function codeOf(button: HTMLElement): string {
  const code = button.closest(".code")?.querySelector("code");
  return code ? textOf(code) : "";
}

/** A button in such a line. */
export function button(act: string, icon: IconName, label: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "icon-button";
  made.dataset["act"] = act;
  made.title = label;
  made.setAttribute("aria-label", label);
  const sign = document.createElement("span");
  sign.className = "icon";
  sign.ariaHidden = "true";
  sign.textContent = ICONS[icon];
  made.append(sign);
  return made;
}
