import assert from "node:assert/strict";
import { test } from "node:test";
import { ended, exported, imported, made } from "../../src/commands/contexts-told.ts";
import type { ContextsAnswer, ContextsEstimate } from "../../src/wire.ts";

const ANSWER: ContextsAnswer = {
  estimate: {} as ContextsEstimate,
  made: 1,
  failed: 0,
  problems: [],
  stopped: "",
  dollars: 0.01,
  cost: "$0.01 (estimated $0.02).",
};

test("what was made and what it cost is told", () => {
  const message = "1 context was made. Cost: $0.01 (estimated $0.02).";
  assert.deepEqual(made(ANSWER), { message, bad: false });
  const none = { ...ANSWER, made: 0, cost: "" };
  assert.deepEqual(made(none), { message: "0 contexts were made.", bad: false });
});

test("what failed, and why it stopped, is told as a problem", () => {
  const failed = made({ ...ANSWER, made: 2, failed: 3, problems: ["a.py: refused."], cost: "" });
  const message = "2 contexts were made. 3 could not be made. a.py: refused.";
  assert.deepEqual(failed, { message, bad: true });
  assert.ok(made({ ...ANSWER, stopped: "The limit was reached." }).bad);
});

test("what was shared, and what was ended, is told in numbers", () => {
  assert.equal(exported(1234, "/a.jsonl"), "1,234 contexts were written to /a.jsonl.");
  assert.equal(imported(1), "1 context was taken in.");
  assert.match(imported(0), /missing here/);
  assert.equal(ended(0), "No batch of contexts is under way.");
  assert.match(ended(1), /to end 1 batch\./);
  assert.match(ended(2), /to end 2 batches\./);
});
