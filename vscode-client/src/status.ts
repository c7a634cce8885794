// The item in the status bar: how the server is, and which model answers.

import {
  type Disposable,
  MarkdownString,
  StatusBarAlignment,
  type StatusBarItem,
  ThemeColor,
  window,
} from "vscode";
import type { ServerState } from "./server/server.ts";
import type { StatusAnswer } from "./wire.ts";

const PRIORITY = 90;
const TO_K = 1000;

/** Shows the server's state; a click opens the chat, or says what is wrong. */
export class StatusItem implements Disposable {
  readonly #item: StatusBarItem;

  constructor() {
    this.#item = window.createStatusBarItem("glossator.status", StatusBarAlignment.Right, PRIORITY);
    this.#item.name = "Glossator";
    this.#item.command = "glossator.showMenu";
    this.#item.show();
  }

  /** Show how the server is; `status`: what it last told, if it is ready. */
  show(state: ServerState, status: StatusAnswer | undefined, runs: number): void {
    const { icon, text, tooltip, bad } = look(state, status, runs);
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.tooltip = new MarkdownString(tooltip, true);
    this.#item.accessibilityInformation = { label: `Glossator: ${text}` };
    this.#item.backgroundColor = bad
      ? new ThemeColor("statusBarItem.warningBackground")
      : undefined;
  }

  dispose(): void {
    this.#item.dispose();
  }
}

interface Look {
  readonly icon: string;
  readonly text: string;
  readonly tooltip: string;
  readonly bad?: boolean;
}

function look(state: ServerState, status: StatusAnswer | undefined, runs: number): Look {
  switch (state.phase) {
    case "off":
      return { icon: "circle-slash", text: "Glossator", tooltip: "Glossator is off." };
    case "starting":
      return { icon: "sync~spin", text: "Glossator", tooltip: `Glossator: ${state.step}…` };
    case "waiting":
    case "failed":
      return { icon: "warning", text: "Glossator", tooltip: state.problem, bad: true };
    case "ready":
      return ready(status, runs);
  }
}

function ready(status: StatusAnswer | undefined, runs: number): Look {
  const icon = runs > 0 ? "loading~spin" : "comment-discussion";
  if (!status) {
    return { icon, text: "Glossator", tooltip: "Glossator is ready." };
  }
  const model = status.offline ? "offline" : status.model;
  const lines = [
    `**Glossator** ${status.version}`,
    status.offline ? "Offline: answers are extracts, no model is asked." : `Model: ${status.model}`,
    `${status.files.toLocaleString("en")} files${status.scanning ? ", still being listed" : ""}`,
    ...status.spending.map(
      (each) => `${each.title}: ${kilo(total(each.last))} k tokens in context`,
    ),
  ];
  return { icon, text: model, tooltip: lines.join("\n\n") };
}

function total(usage: { inputTokens: number; cacheReadTokens: number; cacheWriteTokens: number }) {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function kilo(tokens: number): string {
  return (tokens / TO_K).toFixed(1);
}
