// What the status bar says; nothing here knows of VS Code.

import { modeOf } from "./choices.ts";
import type { ServerState } from "./server/server.ts";
import type { StatusAnswer, Usage } from "./wire.ts";

/** The state of things: `status` is what the server last sent, `sessionId` the session shown. */
export interface Standing {
  readonly state: ServerState;
  readonly status: StatusAnswer | undefined;
  readonly running: number;
  /** What Glossator waits for the user's answer to, each in a line. */
  readonly waiting: readonly string[];
  readonly sessionId: string | undefined;
  /** Answers are extracts because no key is set, not because the user wants it so. */
  readonly lacksKey: boolean;
}

/** An icon, a few words, and the lines of the tooltip. */
export interface Look {
  readonly icon: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly bad?: boolean;
  /** What a click does; without it, the menu is shown. */
  readonly command?: `glossator.${string}`;
}

const NAME = "Glossator";
const THOUSAND = 1000;

/** What is shown for it. */
export function look(standing: Standing): Look {
  const { state } = standing;
  switch (state.phase) {
    case "off":
      return { icon: "circle-slash", text: NAME, lines: ["Glossator is off."] };
    case "starting":
      return { icon: "sync~spin", text: NAME, lines: [`Glossator: ${state.step}…`] };
    case "waiting":
    case "failed":
      return { icon: "warning", text: NAME, lines: [state.problem], bad: true };
    case "ready":
      return ready(standing);
  }
}

function ready({ status, running, waiting, sessionId, lacksKey }: Standing): Look {
  if (waiting.length > 0) {
    const lines = ["Glossator waits for your answer:", ...waiting];
    return {
      icon: "bell-dot",
      text: "answer needed",
      lines,
      bad: true,
      command: "glossator.showAsked",
    };
  }
  const icon = running > 0 ? "loading~spin" : "comment-discussion";
  if (!status) {
    return { icon, text: NAME, lines: ["Glossator is ready."] };
  }
  const shown = status.spending.find((each) => each.sessionId === sessionId);
  const tokens = shown ? inContext(shown.last) : 0;
  const context = tokens > 0 ? ` · ${thousands(tokens)}` : "";
  const lines = [
    `Glossator ${status.version}`,
    status.offline ? "Offline: answers are extracts, no model is asked." : `Model: ${status.model}`,
    `Mode: ${modeOf(status, sessionId)}`,
    `${status.files.toLocaleString("en")} file${status.files === 1 ? "" : "s"}${status.scanning ? ", still being listed" : ""}`,
    ...(tokens > 0 ? [`${tokens.toLocaleString("en")} tokens in this session's context`] : []),
  ];
  if (status.offline && lacksKey) {
    const what = "No API key is set. Click to set one, and a model answers.";
    return {
      icon,
      text: "offline, no key",
      lines: [...lines, what],
      command: "glossator.setApiKey",
    };
  }
  return { icon, text: (status.offline ? "offline" : status.model) + context, lines };
}

function inContext(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function thousands(tokens: number): string {
  return `${(tokens / THOUSAND).toFixed(tokens < 10 * THOUSAND ? 1 : 0)}k`;
}
