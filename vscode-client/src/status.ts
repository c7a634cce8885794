// The item in the status bar: how the server is, which model answers, how full the context is.

import {
  type Disposable,
  MarkdownString,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  window,
} from "vscode";
import { look, type Standing } from "./look.ts";
import { labelled } from "./shown.ts";

const PRIORITY = 90;
const MENU = "glossator.showMenu";

/** Shows how things stand; a click opens the menu, shows what is asked, or has a key set. */
export class StatusItem implements Disposable {
  readonly #item: StatusBarItem;

  constructor() {
    this.#item = window.createStatusBarItem("glossator.status", StatusBarAlignment.Right, PRIORITY);
    this.#item.name = "Glossator";
    this.#item.show();
  }

  /** Show it. */
  show(standing: Standing): void {
    const { icon, text, lines, bad = false, command = MENU } = look(standing);
    const tooltip = new MarkdownString("", true);
    for (const line of lines) {
      tooltip.appendText(line).appendMarkdown("\n\n");
    }
    this.#item.command = command;
    this.#item.text = `$(${icon}) ${labelled(text)}`;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `Glossator: ${text}. ${lines.join(" ")}` };
    this.#item.backgroundColor = bad
      ? new ThemeColor("statusBarItem.warningBackground")
      : undefined;
  }

  dispose(): void {
    this.#item.dispose();
  }
}
