// No typed word is lost, or comes to stand in another session: the panel's state without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chip, Situation, ToHost, ToPanel } from "../../src/panel/messages.ts";
import { situation } from "./harness/streams.ts";

const CHIP: Chip = {
  label: "a.py:3",
  attachment: { uri: "file:///w/a.py", firstLine: 3, lastLine: 3 },
};

let saved: unknown; // outlives a page
let told: ToHost[] = [];
Object.assign(globalThis, {
  acquireVsCodeApi: () => ({
    postMessage: (message: ToHost) => told.push(message),
    getState: () => structuredClone(saved),
    setState: (state: unknown) => {
      saved = structuredClone(state);
    },
  }),
});

type Store = typeof import("../../panel/store.ts");

const asked = (runId: string) => ({ runId, question: `Question ${runId}`, chips: [] });
const replay = (sessionId: string | null, over: object = {}): ToPanel => ({
  type: "replay",
  sessionId,
  events: [],
  answers: [],
  ...over,
});
const now = (sessionId: string | null, over: Partial<Situation> = {}): ToPanel =>
  situation({ sessionId, session: null, ...over });
const questions = () => told.flatMap((each) => (each.type === "ask" ? [each.question] : []));

let pages = 0;

/** A page of the panel, as VS Code makes it; what was kept is there. */
async function page(): Promise<Store & { is(...messages: readonly ToPanel[]): void }> {
  const url = new URL(`../panel-store.mjs?${pages++}`, import.meta.url);
  const store: Store = await import(url.href);
  const is = (...messages: readonly ToPanel[]) => {
    for (const message of messages) {
      store.receive(message);
    }
  };
  return { ...store, is };
}

/** A page of a panel of its own, which shows a session with words in the input. */
async function writing(sessionId: string | null, words: string) {
  saved = undefined;
  told = [];
  const panel = await page();
  panel.is(replay(sessionId), now(sessionId));
  panel.draft.value = words;
  return panel;
}

test("what is written in a new session does not go to one that is at work", async () => {
  const panel = await writing("s1", "of s1");
  panel.is(replay(null), now(null));
  panel.draft.value = "for the new one";
  panel.is(replay("s1", { asked: [asked("r1")] }), now("s1"));
  assert.equal(panel.draft.value, "of s1");
  panel.is(replay(null), now(null));
  assert.equal(panel.draft.value, "for the new one");
});

test("what is written while a new session begins stays in it, with a page or without", async () => {
  const panel = await writing(null, "first");
  panel.send();
  panel.draft.value = "second";
  panel.is(now("s1"), replay("s1", { asked: [asked("r1")] }));
  assert.equal(panel.draft.value, "second");
  panel.is(replay("s2"), now("s2"));
  assert.equal(panel.draft.value, "");

  (await writing(null, "third")).send();
  const again = await page();
  again.draft.value = "fourth";
  again.is(replay("s3", { asked: [asked("r2")] }), now("s3"));
  assert.equal(again.draft.value, "fourth");
  again.is(replay("s4"), now("s4"));
  assert.equal(again.draft.value, "");
});

test("a page that is made anew keeps the draft of a session beside that of a new one", async () => {
  const panel = await writing("s1", "of s1");
  panel.is(replay(null), now(null));
  panel.draft.value = "for the new one";
  const again = await page();
  again.is(replay("s1", { asked: [asked("r1")] }), now("s1"));
  assert.equal(again.draft.value, "of s1");
});

test("what is typed before a new session is there is for that one", async () => {
  const panel = await writing("s1", "of s1");
  panel.newSession();
  assert.equal(panel.draft.value, "");
  panel.draft.value = "What does";
  panel.is(now("s1"), replay(null), now(null));
  panel.draft.value += " gross() do?";
  panel.send();
  assert.deepEqual(questions(), ["What does gross() do?"]);
  panel.is(replay("s1"), now("s1"));
  assert.equal(panel.draft.value, "of s1");
});

test("what is typed before another session is there is for that one, and sent to no other", async () => {
  const panel = await writing("s1", "of s1");
  panel.openSession("s2");
  panel.draft.value = "of s2";
  panel.send();
  assert.deepEqual(questions(), []);
  panel.is(replay("s1"), now("s1")); // it could not be opened
  assert.equal(panel.draft.value, "of s1");
  panel.openSession("s2");
  panel.is(replay("s2"), now("s2"));
  panel.send();
  assert.deepEqual(questions(), ["of s2"]);
});

test("after a reload words stay with a session that comes back, or go on without it", async () => {
  await writing("s1", "half");
  const back = await page();
  back.is(replay(null, { restoring: true }), now(null));
  back.draft.value += " a question";
  back.is(replay("s1"), now("s1"));
  assert.equal(back.draft.value, "half a question");

  const gone = await page();
  gone.is(replay(null, { restoring: true }), now(null), replay(null), now(null));
  assert.equal(gone.draft.value, "half a question");
  gone.is(replay("s2"), now("s2"));
  assert.equal(gone.draft.value, "");
  gone.is(replay(null), now(null));
  assert.equal(gone.draft.value, "half a question");
});

test("a reload before the id of a new session was told leaves the words in it", async () => {
  (await writing(null, "first")).draft.value = "second";
  const panel = await page();
  panel.is(replay(null, { restoring: true }), now(null), replay("s1"), now("s1"));
  assert.equal(panel.draft.value, "second");
});

test("words of a session that is deleted stay in the input", async () => {
  const panel = await writing("s1", "half a question");
  panel.is(replay(null, { wordsOf: "s1" }), now(null));
  assert.equal(panel.draft.value, "half a question");
  panel.is(replay("s2"), now("s2"), replay(null, { wordsOf: "s1" }), now(null));
  assert.equal(panel.draft.value, "half a question");
});

test("words go along with a session that goes on in another panel", async () => {
  const panel = await writing("s1", "half");
  panel.chips.value = [CHIP];
  panel.is({ type: "handOver" }, replay(null), now(null));
  assert.deepEqual(told.at(-1), { type: "handedOver", text: "half", chips: [CHIP] });
  panel.is(replay("s1"), now("s1"));
  assert.equal(panel.draft.value, "");
});

test("an edit that is under way stays with its session, with what it put aside", async () => {
  const started = {
    ...{ runId: "r1", seq: 0, kind: "run.started", sessionId: "s1", question: "Why?" },
    ...{ attachments: [], onlyReads: false, plan: "auto", beganAt: "", shown: "" },
    ...{ folders: [], model: "", offline: false },
  };
  const ended = { runId: "r1", seq: 1, kind: "run.finished", stop: "answered" };
  const session = replay("s1", { events: [started, ended] });
  const panel = await writing("s1", "And now?");
  panel.is(session);
  const [turn] = panel.turns.value;
  assert.ok(turn);
  panel.edit(turn);
  panel.draft.value = "Why not?";
  panel.is(replay(null), now(null));
  assert.deepEqual([panel.draft.value, panel.insteadOf.value], ["", null]);
  panel.is(session, now("s1"));
  assert.deepEqual([panel.draft.value, panel.insteadOf.value], ["Why not?", "r1"]);
  panel.clear();
  assert.equal(panel.draft.value, "And now?");
});
