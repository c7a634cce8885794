// Edits that only the editor has, and edits that are lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, type PanelState } from "../../panel/state/model.ts";
import { reduce } from "../../panel/state/reduce.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import { button, harness, panelTest, shown as show } from "./harness/opened.ts";
import { unsaved } from "./harness/states.ts";
import { stream } from "./harness/streams.ts";

const FILE = unsaved(false).files[0];

function played(...messages: readonly ToPanel[]): PanelState {
  return messages.reduce(reduce, EMPTY);
}

test("unsaved files are those that were named last, wherever the transcript comes from", () => {
  const state = played(...stream("edits"), unsaved(false));
  assert.deepEqual(state.unsaved, [FILE]);
  assert.deepEqual(reduce(state, { type: "unsaved", files: [] }).unsaved, []);
  const replay = { type: "replay", sessionId: "s1", events: [], answers: [] } as const;
  assert.deepEqual(played({ ...replay, unsaved: unsaved(true).files }).unsaved[0]?.gone, true);
  assert.deepEqual(reduce(state, replay).unsaved, []);
});

panelTest("what is not saved says so in each place, and is saved", async () => {
  await show(...stream("edits"), unsaved(false));
  const turn = harness.page.locator(".turn");
  assert.match(await text(".card.edit"), /not saved/);
  assert.match(await text(".notice.warn"), /Not saved in the editor: prices\.py\./);
  await button("Save").click();
  assert.deepEqual(await harness.said("save"), [{ type: "save", uris: [FILE?.uri] }]);
  await harness.tell({ type: "unsaved", files: [] });
  assert.doesNotMatch((await turn.textContent()) ?? "", /not saved/i);
});

panelTest("what is gone says so in each place, but for a turn that is undone", async () => {
  await show(...stream("edits"), unsaved(true));
  assert.match(await text(".card.edit"), /gone/);
  assert.match(await text(".notice.warn"), /Gone: prices\.py was closed or reverted/);
  assert.equal(await button("Save").count(), 0);
  await harness.tell({ type: "undone", runs: ["edits"] });
  assert.match(await text(".card.edit"), /undone/);
  assert.match(await text(".notice.warn"), /Undone: /);
});

async function text(selector: string): Promise<string> {
  return (await harness.page.locator(selector).first().textContent()) ?? "";
}
