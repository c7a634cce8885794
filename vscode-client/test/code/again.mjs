// A question that changed a file is asked again: what the old answer changed is undone first, unless
// the user thinks better of it: then nothing happens. Words behind a chat command reach the model.

import assert from "node:assert/strict";
import { runCommand } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "again.py": PRICES };
export const settings = { "glossator.edits.review": "propose" };

const [BEFORE, AFTER] = ["VAT = 0.19", "VAT = 0.07"];

export async function story(stage) {
  const { page, model, turn } = stage;
  const dialog = page.locator(".monaco-dialog-box", { hasText: "again.py" });
  await stage.mode("Accept edits");
  await stage.open("again.py");
  await model.plays(
    [{ Read: { path: "again.py" } }],
    [{ Edit: { path: "again.py", old_text: BEFORE, new_text: AFTER } }],
    ["It is changed once."],
  );
  await stage.ask("Change the tax.");
  await turn.locator("vscode-button", { hasText: "Accept" }).click();
  await turn.getByText("It is changed once").waitFor();
  await stage.shows(PRICES.replace(BEFORE, AFTER));

  await turn.getByRole("button", { name: "Ask again", exact: true }).click();
  await dialog.waitFor();
  await stage.picture("again-undo");
  await page.keyboard.press("Escape");
  await turn.getByText("It is changed once").waitFor();
  await stage.shows(PRICES.replace(BEFORE, AFTER));

  await model.plays(["It stays as it is."]);
  await turn.getByRole("button", { name: "Ask again", exact: true }).click();
  await dialog.locator(".monaco-button", { hasText: "Undo the Changes" }).click();
  await turn.getByText("It stays as it is").waitFor();
  await stage.shows(PRICES);
  await stage.picture("again-answer");

  await model.plays(["Elle calcule des prix."]);
  await stage.ask("/explain in French");
  await turn.getByText("Elle calcule des prix").waitFor();
  const { requests } = await model.told();
  assert.match(JSON.stringify(requests.at(-1).messages.at(-1)), /in French/);
  await runCommand(page, "File: Revert File");
}
