import assert from "node:assert/strict";
import { test } from "node:test";
import { Transcript } from "../../src/chat/transcript.ts";
import type { Event } from "../../src/wire.ts";

const STARTED = {
  runId: "r",
  sessionId: "s",
  question: "Why?",
  model: "m",
  offline: false,
  attachments: [],
  onlyReads: false,
};
const started: Event = { ...STARTED, kind: "run.started", seq: 0 };
const text = (seq: number, words: string): Event => ({
  runId: "r",
  seq,
  kind: "text.delta",
  text: words,
});
const finished: Event = { runId: "r", seq: 9, kind: "run.finished", stop: "answered" };

test("neighbouring pieces of text are kept as one, with the later number", () => {
  const transcript = new Transcript([started, text(1, "a"), text(2, "b"), finished]);
  assert.deepEqual(transcript.events, [started, text(2, "ab"), finished]);
  assert.deepEqual(transcript.running, []);
});

test("a run whose server is gone fails, once", () => {
  const transcript = new Transcript([started, text(1, "a")]);
  assert.deepEqual(transcript.running, ["r"]);
  const failed = { runId: "r", seq: 2, kind: "run.failed", message: "gone" };
  assert.deepEqual(transcript.fail(STARTED, "gone"), [failed]);
  assert.deepEqual(transcript.fail(STARTED, "gone"), []);
  assert.ok(transcript.knows("r"));
});

test("a run that was refused is shown with its question, and is in no conversation", () => {
  const transcript = new Transcript();
  const kinds = transcript.fail(STARTED, "no").map(({ kind }) => kind);
  assert.deepEqual(kinds, ["run.started", "run.failed"]);
  assert.ok(!transcript.knows("r"));
});

test("a run is cut out with all that followed it", () => {
  const other: Event = { ...started, runId: "q" };
  const transcript = new Transcript([other, started, finished]);
  transcript.cutFrom("r");
  assert.deepEqual(transcript.events, [other]);
  assert.deepEqual(transcript.running, ["q"]);
  transcript.cutFrom("unknown");
  assert.deepEqual(transcript.events, [other]);
});
