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
  plan: "auto",
  beganAt: "",
  shown: "",
  folders: [],
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
  assert.ok(transcript.isOver("r"));
});

test("the newest output of each call is kept while its run is on", () => {
  const output = (seq: number, callId: string, words: string, live: boolean): Event => ({
    runId: "r",
    seq,
    kind: "tool.output",
    callId,
    text: words,
    live,
  });
  const transcript = new Transcript([
    started,
    output(1, "a", "1", true),
    output(2, "b", "1", true),
    output(3, "a", "12", true),
    text(4, "Well"),
    output(5, "b", "12", true),
    output(6, "b", "all", false),
  ]);
  const newest = [output(3, "a", "12", true), text(4, "Well")];
  assert.deepEqual(transcript.events, [started, ...newest, output(6, "b", "all", false)]);
  transcript.add(finished);
  assert.deepEqual(transcript.events, [started, ...newest, finished]);
});

test("what a citation becomes after the run's end is kept once, and the run stays ended", () => {
  const cited = { target: "a.py", firstLine: 3, lastLine: 4, at: 7 };
  const citation = (seq: number, status: string, more: object = {}) =>
    ({
      runId: "r",
      seq,
      kind: "citation",
      citation: { ...cited, status, ...more },
    }) as unknown as Event;
  const [before, other] = [citation(1, "verified"), citation(2, "read", { at: 20 })];
  const transcript = new Transcript([started, before, other, finished]);
  transcript.add(citation(10, "moved"));
  transcript.add(citation(11, "stale"));
  assert.deepEqual(transcript.events, [started, other, finished, citation(11, "stale")]);
  assert.ok(transcript.isOver("r"));
});

test("a run whose server is gone fails, once", () => {
  const transcript = new Transcript([started, text(1, "a")]);
  assert.ok(!transcript.isOver("r"));
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
  assert.ok(!transcript.isOver("r") && !transcript.isOver("q"));
  transcript.cutFrom("unknown");
  assert.deepEqual(transcript.events, [other]);
});
