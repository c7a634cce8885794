// What is said of facts that went, and of a session's summary.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cleared, summaryReport } from "../../src/commands/facts-told.ts";
import type { Fact } from "../../src/wire.ts";

const FACT: Fact = {
  id: "f1",
  statement: "It is so.",
  path: "a.py",
  uri: "file:///w/a.py",
  firstLine: 1,
  lastLine: 2,
  state: "fresh",
  confidence: 0.9,
  createdAt: "2026-01-02T03:04:05+00:00",
  sessionId: "s",
  pinned: false,
};

test("what was removed is counted", () => {
  assert.equal(
    cleared({ facts: [FACT, FACT], sessions: ["s"], left: 0 }),
    "Forgot 2 facts and the memory of 1 session.",
  );
  assert.equal(cleared({ facts: [FACT], sessions: [], left: 3 }), "Forgot 1 fact. 3 are left.");
  assert.equal(cleared({ facts: [FACT], sessions: [], left: 1 }), "Forgot 1 fact. 1 is left.");
});

test("a summary is literal text", () => {
  const report = summaryReport({
    sessionId: "s",
    mainTopics: ["<b>Prices</b>"],
    keyConclusions: [],
    unresolvedQuestions: ["Why?"],
    byModel: false,
  });
  assert.match(report, /Extracted without a model\./);
  assert.match(report, /- \\<b\\>Prices/);
  assert.match(report, /## Key conclusions\n\nNone\./);
});
