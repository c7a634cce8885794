import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Outbox } from "../../src/chat/outbox.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import type { Event } from "../../src/wire.ts";

const text = (seq: number, words: string): Event => ({
  runId: "r",
  seq,
  kind: "text.delta",
  text: words,
});

test("events of one drawing are one message, and other messages come behind them", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const posted: ToPanel[] = [];
  const outbox = new Outbox((message) => posted.push(message));
  outbox.event(text(1, "a"));
  outbox.event(text(2, "b"));
  assert.deepEqual(posted, []);
  mock.timers.tick(50);
  assert.deepEqual(posted, [{ type: "events", events: [text(2, "ab")] }]);
  outbox.event(text(3, "c"));
  outbox.send({ type: "withdrawn", id: "x" });
  assert.deepEqual(
    posted.slice(1).map(({ type }) => type),
    ["events", "withdrawn"],
  );
  outbox.event(text(4, "d"));
  outbox.clear();
  mock.timers.tick(100);
  assert.equal(posted.length, 3);
  mock.timers.reset();
});
