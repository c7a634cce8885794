import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation } from "../../src/chat/conversation.ts";
import { Transcript } from "../../src/chat/transcript.ts";
import type { AttachedItem, Event } from "../../src/wire.ts";

const LINES = { uri: "file:///w/a.py", firstLine: 3, lastLine: 4 };
const CHIP = { label: "a.py:3-4", attachment: LINES };
const ITEM: AttachedItem = { ...LINES, name: "a.py", mediaType: null, diagnostics: [] };
const PASTED = { ...ITEM, uri: null, firstLine: null, lastLine: null, mediaType: "image/png" };
const action = { name: "glossator.explain", lines: LINES } as const;

const start = (runId: string, question: string, attachments: readonly AttachedItem[] = []) => ({
  runId,
  sessionId: "s",
  question,
  model: "m",
  offline: false,
  attachments,
  onlyReads: false,
  plan: "auto",
  beganAt: "",
  shown: "",
  folders: [],
});

function started(runId: string, ...given: readonly [string, (readonly AttachedItem[])?]): Event {
  return { ...start(runId, ...given), seq: 0, kind: "run.started" };
}

function conversation(): Conversation {
  const events = [started("a", "Explain `a.py:3-4`.", [ITEM, PASTED]), started("b", "Why?")];
  return new Conversation("s", null, new Transcript(events));
}

test("a question is known with what went with it, from the server alone", () => {
  const shown = conversation();
  assert.deepEqual(shown.last, { runId: "b", question: "Why?", chips: [] });
  assert.deepEqual(shown.runsFrom("a"), ["a", "b"]);
  shown.cutFrom("b");
  assert.deepEqual(shown.last, { runId: "a", question: "Explain `a.py:3-4`.", chips: [CHIP] });
  shown.cutFrom("a");
  assert.equal(shown.last, undefined);
  assert.deepEqual(shown.runsFrom("a"), []);
});

test("a run takes the place of another once it has begun", () => {
  const shown = conversation();
  shown.asked.push({ runId: "c", question: "Why not?", chips: [], insteadOf: "a" });
  assert.deepEqual(shown.runsFrom("a"), ["a", "b"]);
  shown.makeRoomFor("c");
  assert.deepEqual(shown.transcript.events, []);
  assert.deepEqual(
    shown.asked.map(({ runId }) => runId),
    ["c"],
  );
});

test("an action that was refused is the same action when it is asked again", () => {
  const shown = conversation();
  const question = "Explain these lines.";
  shown.asked.push({ runId: "r", question, chips: [CHIP], action });
  shown.transcript.fail(start("r", question), "no");
  assert.equal(shown.refusedAction("r", question), action);
  assert.equal(shown.refusedAction("r", "Explain them in French."), undefined);
  assert.equal(shown.refusedAction(null, question), undefined);
  assert.deepEqual(shown.last?.chips, [CHIP]);
});

test("a session that was resumed meanwhile is the same", () => {
  const [one, other] = [new Conversation(), new Conversation()];
  assert.deepEqual([one.isSameAs(one), one.isSameAs(other)], [true, false]);
  one.id = "s";
  assert.equal(one.isSameAs(other), false);
  other.id = "s";
  assert.equal(one.isSameAs(other), true);
});

test("how a run ended", () => {
  const shown = conversation();
  assert.equal(shown.problemOf("c"), undefined);
  shown.transcript.add({ runId: "a", seq: 1, kind: "run.finished", stop: "answered" });
  shown.transcript.add({ runId: "b", seq: 1, kind: "run.cancelled", elsewhere: "" });
  assert.deepEqual([shown.problemOf("a"), shown.problemOf("b")], ["", "The run was stopped."]);
  shown.transcript.fail(start("c", "Why?"), "no");
  assert.equal(shown.problemOf("c"), "The run failed.");
});
