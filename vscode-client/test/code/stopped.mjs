// An answer is stopped while it is being written: what is there stays, also when the session is shown
// again from what was kept, and the next question is answered.

import assert from "node:assert/strict";
import { HELD } from "./model.mjs";

export const files = { "stopped.py": "RETRIES = 3\n" };

const SAID = "A retry is another try after a failure.";

export async function story(stage) {
  const { panel, model } = stage;
  await model.plays([SAID, HELD, "This is never said."]);
  await stage.ask("What are retries?");
  const first = panel.locator(".turn").first();
  await first.getByText(SAID).waitFor();
  await stage.picture("stopped-streaming");
  await panel.getByRole("button", { name: "Stop" }).click();
  await first.getByText("Stopped.").waitFor();
  await model.parted();
  await model.plays(
    [{ Read: { path: "stopped.py" } }],
    ["There are three [cite: doc, stopped.py, L1]."],
  );
  await stage.ask("How many are there?");
  await stage.turn.locator(".cite.read").waitFor();
  await stage.picture("stopped-answer");
  const { requests } = await model.told();
  assert.match(JSON.stringify(requests.at(-1).messages), /not fully answered/);
  await stage.clear();
  await panel.getByRole("button", { name: "Sessions" }).click();
  await panel.locator(".sessions").getByText("What are retries?").click();
  await first.getByText(SAID).waitFor();
  await first.getByText("Stopped.").waitFor();
  assert.equal(await panel.getByText("This is never said.").count(), 0);
}
