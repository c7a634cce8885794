// A command and a new file are refused: nothing is written, the model is told why, and so is
// whoever reads the cards.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { resultOf } from "./model.mjs";

export const settings = { "glossator.edits.review": "propose" };

const [COMMAND, PATH, REASON] = ["echo yes > made.txt", "test_new.py", "Only tell me how."];

export async function story(stage) {
  const { model, panel, turn } = stage;
  await model.plays(
    [{ Bash: { command: COMMAND } }],
    [{ Write: { path: PATH, content: "def test():\n    assert True\n" } }],
    ["Nothing was changed, since you did not allow it."],
  );
  await stage.mode("Ask");
  await stage.ask("Write a test, and note that it is there.");
  await panel.getByText("Refuse and say why").click();
  await panel.getByPlaceholder("What to do instead").fill(REASON);
  await stage.picture("denied-asked");
  await panel.getByText("Refuse and tell it").click();
  await turn.locator("vscode-button", { hasText: "Reject" }).click();
  await turn.getByText("Nothing was changed, since").waitFor();
  await stage.picture("denied-answer");
  assert.match(
    await turn.locator(".tool", { hasText: "Run" }).textContent(),
    /You refused: Only tell me how/,
  );
  assert.match(await turn.locator(".edit").textContent(), /not applied/);
  for (const name of ["made.txt", PATH]) {
    assert.ok(!existsSync(join(stage.workspace, name)), name);
  }
  const { requests } = await model.told();
  assert.ok(resultOf(requests.at(-1), "Bash").includes(REASON));
  assert.match(resultOf(requests.at(-1), "Write"), /reject/);
}
