// The recorded streams, and the situations in which they are shown.

import { readFileSync } from "node:fs";
import type { Situation, ToPanel } from "../../../src/panel/messages.ts";
import type { Event, PermissionRequest } from "../../../src/wire.ts";

/** A stream of `test/panel/streams`, by its name. */
export function stream(name: string): readonly ToPanel[] {
  return JSON.parse(readFileSync(`test/panel/streams/${name}.json`, "utf-8"));
}

/** The stream up to a message of a type, that one included. */
export function until(name: string, type: ToPanel["type"]): readonly ToPanel[] {
  const all = stream(name);
  return all.slice(0, all.findIndex((message) => message.type === type) + 1);
}

/** The events of an answered turn, as few as there can be. */
export function oneTurn(): readonly Event[] {
  return merged(stream("answered"));
}

/** The events, each run of deltas as one. */
function merged(messages: readonly ToPanel[]): Event[] {
  const all: Event[] = [];
  for (const event of messages.flatMap((each) => (each.type === "events" ? each.events : []))) {
    const last = all.at(-1);
    if (last?.kind === "text.delta" && event.kind === "text.delta") {
      all[all.length - 1] = { ...event, text: last.text + event.text };
    } else {
      all.push(event);
    }
  }
  return all;
}

/** Nothing to show yet in the session of `situation`. */
export const NEW = { type: "replay", sessionId: "s1", events: [], answers: [] } as const;

const PLAN = `\`total\` counts each price once, whatever the quantity [cite: doc, shop/cart.py, 6-11].

## Plan

1. In \`shop/cart.py\`, multiply each price by its quantity.
2. In \`tests/test_cart.py\`, add a cart that holds two of one kind.

To check: \`pytest tests/test_cart.py\`.`;

const RUN = { runId: "r1" };

/** A run in plan mode that ended with a plan. */
export const PLANNED: readonly ToPanel[] = [
  {
    type: "replay",
    sessionId: "s1",
    answers: [],
    events: [
      {
        ...RUN,
        seq: 0,
        kind: "run.started",
        sessionId: "s1",
        question: "Make the total count quantities.",
        model: "claude-sonnet-5-5",
        offline: false,
        attachments: [],
        onlyReads: false,
        plan: "auto",
        beganAt: "",
        shown: "",
        folders: [],
      },
      { ...RUN, seq: 1, kind: "text.delta", text: PLAN },
      { ...RUN, seq: 2, kind: "run.finished", stop: "planned" },
    ],
  },
];

/** The session that is shown. */
export const SESSION = {
  id: "s1",
  title: "Why is the total too low?",
  createdAt: "2026-01-01T10:00:00Z",
  updatedAt: "2026-01-01T10:05:00Z",
  turns: 3,
  running: false,
  found: "",
  elsewhere: "",
  waits: false,
  worktree: null,
} as const;

/** Who asks, in that session. */
export const ASKER = { sessionId: SESSION.id, sessionTitle: SESSION.title } as const;

/** A command of which a permission is asked, and what is different. */
export function permission(
  id: string,
  detail: string,
  change: Partial<PermissionRequest> = {},
): ToPanel {
  const usual: PermissionRequest = {
    tool: "Bash",
    title: "Run this command?",
    detail,
    cut: null,
    plan: null,
    reasons: ["In mode ask, a command that may change something needs your permission."],
    suggestions: ["Bash(make:*)"],
    choices: ["once", "session", "always", "deny"],
    ...ASKER,
  };
  return { type: "permission", id, request: { ...usual, ...change } };
}

/** The usual situation, and what is different. */
export function situation(change: Partial<Situation> = {}): ToPanel {
  const usual: Situation = {
    server: { phase: "ready", detail: "" },
    trusted: true,
    hasKey: true,
    mode: "ask",
    model: "claude-sonnet-5-5",
    models: [
      { id: "claude-sonnet-5-5", label: "Sonnet 5.5", detail: "For most work" },
      { id: "claude-haiku-5", label: "Haiku 5", detail: "Fast" },
    ],
    offline: false,
    contextWindow: 200_000,
    layers: [
      { name: "system", tokens: 500 },
      { name: "tools", tokens: 1_200 },
      { name: "conversation", tokens: 900 },
    ],
    roots: ["/w/shop"],
    session: SESSION,
    sessionId: SESSION.id,
    selection: null,
  };
  return { type: "situation", situation: { ...usual, ...change } };
}
