import assert from "node:assert/strict";
import { test } from "node:test";
import { look, type Standing } from "../../src/look.ts";
import type { StatusAnswer } from "../../src/wire.ts";

const USAGE = {
  inputTokens: 1000,
  cacheReadTokens: 10_000,
  cacheWriteTokens: 500,
  outputTokens: 9,
};
const SPENT = { title: "T", replies: 1, brokenOff: 0, usage: USAGE, last: USAGE, dollars: null };
const status = {
  version: "0.1.0",
  model: "m-1",
  offline: false,
  mode: "ask",
  modes: [{ sessionId: "s", mode: "plan" }],
  files: 1234,
  scanning: false,
  spending: [{ sessionId: "s", ...SPENT }],
} as unknown as StatusAnswer;
const standing: Standing = {
  state: { phase: "ready" },
  status,
  running: 0,
  waiting: [],
  sessionId: "s",
  lacksKey: false,
};

for (const [name, change, icon, text] of [
  ["ready, with how full the context is", {}, "comment-discussion", "m-1 · 12k"],
  ["another session", { sessionId: "t" }, "comment-discussion", "m-1"],
  ["at work", { running: 1, sessionId: "t" }, "loading~spin", "m-1"],
  [
    "an answer is needed",
    { running: 1, waiting: ["Run this command?"] },
    "bell-dot",
    "answer needed",
  ],
  [
    "offline",
    { status: { ...status, offline: true, spending: [] } },
    "comment-discussion",
    "offline",
  ],
  ["starting", { state: { phase: "starting", step: "x" } }, "sync~spin", "Glossator"],
  ["failed", { state: { phase: "failed", problem: "p", error: null } }, "warning", "Glossator"],
] as const) {
  test(`the status bar: ${name}`, () => {
    const shown = look({ ...standing, ...change } as Standing);
    assert.deepEqual([shown.icon, shown.text], [icon, text]);
  });
}

test("a click does what is needed most", () => {
  const offline = { ...status, offline: true };
  const lacking = look({ ...standing, status: offline, lacksKey: true });
  assert.equal(lacking.text, "offline, no key");
  assert.equal(lacking.command, "glossator.setApiKey");
  assert.equal(look({ ...standing, waiting: ["?"] }).command, "glossator.showAsked");
  assert.equal(look({ ...standing, lacksKey: true }).command, undefined);
});
