// The chat by keyboard alone: a question is asked, another is queued, one steers, an edit is allowed by
// a digit, its diff is opened from the list of files, the turn is undone, a session is looked for.

import assert from "node:assert/strict";
import { quickInput, tabTo } from "./gestures.mjs";
import { resultOf } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "keyboard.py": PRICES };

const [BEFORE, AFTER] = ["VAT = 0.19", "VAT = 0.07"];
const [STEERS, QUEUED] = ["Only the tax.", "Which tests are there?"];
const OPEN_CHAT = "Control+Alt+G";

export async function story(stage) {
  const { model, page, panel } = stage;
  const { keyboard } = page;
  const turn = panel.locator(".turn").first();
  const card = panel.locator(".permission");
  await model.plays(
    [{ Read: { path: "keyboard.py" } }],
    [{ Edit: { path: "keyboard.py", old_text: BEFORE, new_text: AFTER } }],
    ["The tax is seven now."],
    ["There are none."],
  );
  await command(page, "Glossator: Set Mode…");
  await choose(page, "Ask");

  await keyboard.press(OPEN_CHAT);
  await panel.locator(".composer textarea:focus").waitFor();
  await keyboard.type("Lower the tax, by keyboard.");
  await keyboard.press("Enter");
  await card.waitFor();
  await keyboard.type(QUEUED);
  await keyboard.press("Enter");
  await panel.locator(".queue").getByText(QUEUED).waitFor();
  await keyboard.type(STEERS);
  await keyboard.press("Control+Enter");
  await panel.locator(".queue").getByText("Goes to the model with the next results").waitFor();
  await stage.picture("keyboard-asked");

  await tabTo(page, card, "Shift+Tab");
  await keyboard.press("1");
  await turn.getByText("The tax is seven now").waitFor();
  await panel.locator(".answer").getByText("There are none.").waitFor(); // the queue went on by itself
  await panel.locator(".composer textarea:focus").waitFor(); // where it was before the card
  const { requests } = await model.told();
  const told = requests.find(({ messages }) => JSON.stringify(messages).includes(STEERS));
  assert.match(resultOf(told, "Edit"), /keyboard\.py/);

  await tabTo(page, turn.locator(".files .file-name"), "Shift+Tab");
  await stage.picture("keyboard-files");
  await keyboard.press("Enter");
  await page.locator(".tab.active", { hasText: "keyboard.py" }).waitFor();
  await page.locator(".monaco-diff-editor").first().waitFor();
  await stage.at("Ln 3, Col 1"); // at the change
  await stage.picture("keyboard-diff");

  await command(page, "Glossator: Undo Turn…");
  await choose(page, "Lower the tax");
  await turn.getByText("Undone: what this turn changed").waitFor();
  await page.locator(".editor.modified .view-line", { hasText: "0.19" }).waitFor(); // the diff shows it

  await keyboard.press(OPEN_CHAT);
  await tabTo(page, panel.getByRole("button", { name: "Sessions" }), "Shift+Tab");
  await keyboard.press("Enter");
  await panel.locator(".session-search:focus").waitFor();
  await keyboard.type("by keyboard");
  await panel.locator(".session", { hasText: "Lower the tax" }).waitFor();
  await keyboard.press("ArrowDown");
  await panel.locator(".session:focus").waitFor();
  await stage.picture("keyboard-sessions");
  await keyboard.press("Escape");
  await panel.locator(".composer textarea:focus").waitFor();
  await keyboard.press("Control+1");
  await page.locator(".editor-instance .monaco-editor.focused").first().waitFor();
}

/** Run a command of the palette by its title. */
async function command(page, title) {
  await quickInput(page, "F1");
  await choose(page, title);
}

/** Type into the quick input that is open, and take the row with these words, which is the first then. */
async function choose(page, words) {
  const row = page.locator(".quick-input-widget:visible .monaco-list-row.focused");
  await row.first().waitFor();
  await page.keyboard.type(words);
  await row.filter({ hasText: words }).waitFor();
  await page.keyboard.press("Enter");
  await row.filter({ hasText: words }).waitFor({ state: "hidden" });
}
