import assert from "node:assert/strict";
import { test } from "node:test";
import { EventEmitter } from "vscode";
import { Chat } from "../../src/chat/chat.ts";
import { Conversations } from "../../src/chat/conversations.ts";
import type { ToPanel } from "../../src/panel/messages.ts";

const ASKING = { question: "Why?", chips: [], attachments: [] };

/** A chat that showed `before` until the window was reloaded; `lost`: sessions that cannot be resumed. */
function reloaded(before: string | undefined, lost: readonly string[] = []) {
  const [states, events] = [new EventEmitter<object>(), new EventEmitter<object>()];
  let toReady = () => {};
  const ready = new Promise<void>((resolve) => {
    toReady = resolve;
  });
  const calls: string[] = [];
  const answers: Record<string, (request: Record<string, string>) => unknown> = {
    "glossator.resumeSession": ({ sessionId }) => {
      if (lost.includes(sessionId ?? "")) {
        throw new Error("It is gone.");
      }
      const session = { id: sessionId, title: "Before", elsewhere: "" };
      return { session, events: [], undone: [], figures: [], unsaved: [] };
    },
    "glossator.ask": ({ runId, sessionId }) => {
      const id = sessionId ?? "new";
      calls.push(`${runId} in ${id}`);
      events.fire({ kind: "run.started", runId, sessionId: id, attachments: [] });
      return { runId, sessionId: id, text: "", citations: [] };
    },
    "glossator.listSessions": () => ({ sessions: [] }),
    "glossator.deleteSession": () => ({}),
  };
  let phase = "starting";
  const server = {
    get state() {
      return { phase, step: "" };
    },
    onState: states.event,
    onEvent: events.event,
    onUndone: new EventEmitter().event,
    onUnsaved: new EventEmitter().event,
    onSession: new EventEmitter().event,
    run: async (command: string, request: Record<string, string>) => {
      await ready;
      return answers[command]?.(request);
    },
  };
  const memento = { get: (_: string, otherwise: unknown) => otherwise, update: async () => {} };
  const posted: ToPanel[] = [];
  const panel = { visible: true, post: (message: ToPanel) => posted.push(message) };
  const others = { mayReplace: async () => true, bringsElsewhere: async () => false };
  const log = { info: () => undefined, warn: () => undefined };
  const conversations = new Conversations(server as never, memento as never);
  const bookmark = { sessionId: before, keep: () => undefined };
  const chat = new Chat(conversations, server as never, panel, bookmark, others, log as never);
  chat.moved();
  const begins = () => {
    phase = "ready";
    toReady();
    states.fire(server.state);
  };
  const replays = () =>
    posted.flatMap((each) =>
      each.type === "replay" ? [[each.sessionId, each.restoring, each.wordsOf]] : [],
    );
  return { chat, calls, begins, replays };
}

test("a question before the server is ready waits for the session that comes back", async () => {
  const { chat, calls, begins, replays } = reloaded("s1");
  const asking = chat.ask({ ...ASKING, runId: "r1" });
  begins();
  await asking;
  assert.deepEqual(calls, ["r1 in s1"]);
  assert.equal(chat.sessionId, "s1");
  assert.deepEqual(replays(), [
    [null, true, undefined],
    ["s1", false, undefined],
  ]);
});

test("without the session of before a question begins another one", async () => {
  const { chat, calls, begins, replays } = reloaded("gone", ["gone"]);
  const asking = chat.ask({ ...ASKING, runId: "r1" });
  begins();
  await asking;
  assert.deepEqual(calls, ["r1 in new"]);
  assert.deepEqual(replays(), [
    [null, true, undefined],
    [null, false, undefined],
  ]);
});

test("a session that cannot be shown leaves the one that is, and the panel is told", async () => {
  const { chat, begins, replays } = reloaded(undefined, ["gone"]);
  begins();
  await chat.resume("s1");
  await assert.rejects(chat.resume("gone"));
  assert.deepEqual(replays().at(-1), ["s1", false, undefined]);
});

test("after a session was deleted the panel knows whose words it has", async () => {
  const { chat, begins, replays } = reloaded(undefined);
  begins();
  await chat.resume("s1");
  await chat.conversations.remove("s1");
  assert.deepEqual(replays().at(-1), [null, false, "s1"]);
});
