// The window is loaded anew: the session is there, and a further question goes on with it.

import assert from "node:assert/strict";
import { reload } from "./gestures.mjs";

export const files = { "reloaded.py": "LIMIT = 7\n" };

const FIRST = "What is the limit?";

export async function story(stage) {
  const { model, turn, page, panel } = stage;
  await model.plays(
    [{ Read: { path: "reloaded.py" } }],
    ["It is seven [cite: doc, reloaded.py, L1]."],
  );
  await stage.ask(FIRST);
  await turn.locator(".cite.read").waitFor();
  await reload(page);
  await stage.ready();
  await turn.locator(".cite.read").waitFor();
  await model.plays(["As I said, seven [cite: doc, reloaded.py, L1]."]);
  await stage.ask("Is that all?");
  await turn.getByText("As I said").waitFor();
  await turn.locator(".cite.read").waitFor();
  assert.equal(await panel.locator(".turn").count(), 2);
  await stage.picture("reloaded-further");
  const { requests } = await model.told();
  const sent = JSON.stringify(requests.at(-1).messages);
  assert.ok(sent.includes(FIRST) && sent.includes("It is seven"), "the conversation goes on");
}
