// A turn whose changes were taken back, and brought back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, type PanelState, type Turn } from "../../panel/state/model.ts";
import { reduce } from "../../panel/state/reduce.ts";
import { sourcesOf, stateOf } from "../../panel/state/sources.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import { button, harness, panelTest, shown as show } from "./harness/opened.ts";
import { situation, stream } from "./harness/streams.ts";

function played(messages: readonly ToPanel[], from = EMPTY): PanelState {
  return messages.reduce(reduce, from);
}

test("undone turns are those that were named last, wherever the transcript comes from", () => {
  const undone = (state: PanelState) => state.turns.map((turn) => turn.undone);
  const state = played([...stream("edits"), { type: "undone", runs: ["edits"] }]);
  assert.deepEqual(undone(state), [true]);
  assert.deepEqual(undone(played([{ type: "undone", runs: [] }], state)), [false]);
  const events = stream("edits").flatMap((each) => (each.type === "events" ? each.events : []));
  const replay = {
    type: "replay",
    sessionId: "s1",
    events,
    answers: [],
    undone: ["edits"],
  } as const;
  assert.deepEqual(undone(played([replay])), [true]);
  assert.deepEqual(undone(played([{ ...replay, undone: [] }], state)), [false]);
});

test("what is cited of a file that an undone turn changed is marked", () => {
  const stateIn = (turn: Turn) =>
    [...sourcesOf(turn).values()].map((each) => stateOf(each, false)).at(-1);
  const [turn] = played(stream("edits")).turns;
  assert.ok(turn);
  const cited = { ...turn, parts: [...turn.parts, CITING], citations: [CITED] } as unknown as Turn;
  assert.equal(stateIn(cited), "read");
  assert.equal(stateIn({ ...cited, undone: true }), "undone");
});

const CITING = { kind: "text", text: "So [cite: doc, prices.py, L7].", reply: 9 };
const CITED = {
  target: "prices.py",
  uri: "file:///w/shop/prices.py",
  firstLine: 7,
  lastLine: 7,
  status: "read",
};

panelTest("an undone turn says so in each place, and is redone", async () => {
  await show(...stream("edits"), { type: "undone", runs: ["edits"] });
  const turn = harness.page.locator(".turn");
  assert.match((await turn.locator(".card.edit").first().textContent()) ?? "", /undone/);
  assert.match((await turn.locator(".notice.warn").textContent()) ?? "", /^.?\s*Undone: /);
  assert.equal(await button("Undo this turn's edits").count(), 0);
  await button("Redo").click();
  await button("Redo this turn's edits").click();
  const redo = { type: "redoTurn", runId: "edits" };
  assert.deepEqual(await harness.said("redoTurn"), [redo, redo]);
  await harness.tell({ type: "undone", runs: [] });
  assert.doesNotMatch((await turn.textContent()) ?? "", /undone/i);
});

const ICONS = /[\ue000-\uf8ff]/g;

panelTest("the list of files follows what the user undid in the editor", async () => {
  const [FILE, OTHER] = ["prices.py", "test_prices.py"];
  const files = [
    { path: FILE, uri: `file:///w/shop/${FILE}`, change: "changed", added: 2, removed: 2 },
    { path: OTHER, uri: `file:///w/shop/${OTHER}`, change: "created", added: 5, removed: 0 },
  ] as const;
  const events = [
    { runId: "edits", seq: 90, kind: "files.changed", files, more: 0, unsaved: [] },
  ] as const;
  await show(...stream("edits"), { type: "events", events });
  const rows = harness.page.locator(".file-row");
  const told = async () => (await rows.allTextContents()).map((row) => row.replace(ICONS, ""));
  const left = (path: string, added: number, removed: number) => {
    return { sessionId: "s1", runId: "edits", path, added, removed };
  };
  const tell = async (...remaining: readonly ReturnType<typeof left>[]) =>
    await harness.tell(situation({ remaining, waiting: ["edits"] }));
  await tell(left(FILE, 1, 1));
  assert.match((await told()).join(), /prices\.py\+1\s−1,test_prices\.pynew\+5\s−0,Marked/);
  assert.match((await harness.page.locator(".files .fold-head").textContent()) ?? "", /\+6\s−1/);
  await tell(left(FILE, 1, 1), left(OTHER, 0, 0));
  assert.match((await told()).join(), /test_prices\.pynewundone/);
  assert.equal(await button(`Undo the changes of ${OTHER}`).count(), 1, "whatever is counted");
  assert.equal(await button(`Undo the changes of ${FILE}`).count(), 1);
  const [edit, other] = [".edit", ".edit.undone"].map((each) => harness.page.locator(each));
  assert.deepEqual([await edit?.count(), await other?.count()], [2, 1]);
  await tell(left(FILE, 0, 0), left(OTHER, 0, 0));
  assert.equal(await harness.page.locator(".files .size").count(), 0);
  assert.match(
    (await harness.page.locator(".files .fold-head").textContent()) ?? "",
    /2 files changedundone/,
  );
  assert.equal(await button("Undo all of this turn's changes").count(), 1);
  await tell(left(FILE, 3, 1), left(OTHER, 5, 1)); // others have changed them, too
  assert.match((await told()).join(), /prices\.py\+2\s−2,test_prices\.pynew\+5\s−0/);
});

panelTest("an edit stands once among the steps, with its call in it", async () => {
  await show(...stream("edits"));
  const tools = harness.page.locator(".tool-name");
  assert.equal((await tools.allTextContents()).join(), "Read,Run");
  await harness.page.locator(".edit .fold-head").first().click();
  assert.equal((await tools.allTextContents()).join(), "Read,Edit,Run");
});
