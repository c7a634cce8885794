// A command is allowed for the session, by a rule that the user changed first; the rule is listed, and
// removed again.

import assert from "node:assert/strict";
import { quickInput, runCommand } from "./gestures.mjs";
import { resultOf } from "./model.mjs";

const COMMAND = "python3 -m pytest --version";
const RULE = "Bash(python3 -m pytest --version)";

export async function story(stage) {
  const { model, panel, turn, page } = stage;
  const card = panel.locator(".permission");
  await model.plays([{ Bash: { command: COMMAND } }], [{ Bash: { command: COMMAND } }], ["Done."]);
  await stage.mode("Ask");
  await stage.ask("Which pytest is there?");
  await card.getByRole("textbox", { name: "Rule 1" }).fill(RULE);
  await stage.picture("allowed-asked");
  await card.getByRole("button", { name: "Allow for this session" }).click();
  await turn.getByText("Done.").waitFor();
  assert.equal(await card.count(), 0, "the second time it is not asked about");
  const { requests } = await model.told();
  assert.doesNotMatch(resultOf(requests.at(-1), "Bash"), /refused/);

  await quickInput(page, "F1", ">Glossator: Permission Rules");
  const rows = page.locator(".quick-input-widget .monaco-list-row");
  await rows.filter({ hasText: "Permission Rules" }).first().click();
  await rows.filter({ hasText: RULE }).filter({ hasText: "for the session" }).waitFor();
  await stage.picture("allowed-rules");
  await rows.filter({ hasText: RULE }).click();
  await page.locator(".monaco-dialog-box .monaco-button", { hasText: "Remove" }).click();
  await page.getByPlaceholder("There are none").waitFor();
  await page.keyboard.press("Escape");
  await runCommand(page, "Glossator: Ask");
}
