// Lines are edited where they stand: what to do is typed in a box, the words stand above the lines while the
// model works, the edit is made and marked although the mode would ask, a key undoes it, other words take
// its place in the same conversation, a key keeps it, and Escape stops another. The chat's own session goes
// on beside it, and no list has those of the places.

import assert from "node:assert/strict";
import { again } from "./gestures.mjs";
import { HELD } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "inline.py": PRICES };

const EDIT = { path: "inline.py", old_text: "price * (1 - VAT)", new_text: "price * (1 + VAT)" };
const DONE = PRICES.replace("price * (1 - VAT)", "price * (1 + VAT)");
const ROUNDED = { ...EDIT, new_text: "round(price * (1 + VAT), 2)" };
const KEPT = PRICES.replace(EDIT.old_text, ROUNDED.new_text);

export async function story(stage) {
  const { model, page, panel, turn } = stage;
  const lens = (words) => page.locator(".codelens-decoration a", { hasText: words });
  const asked = (words) => lens(`You asked: “${words}”`);
  await model.plays(
    ["The shop is small."],
    ["I add", HELD, " it.", { Edit: EDIT }],
    ["The tax is added."],
    [{ Edit: ROUNDED }],
    ["It is rounded, too."],
    ["There is nothing to leave out."],
    ["It is", HELD, " on its way."],
  );
  await stage.mode("Ask");
  await stage.ask("How large is the shop?");
  await turn.getByText("The shop is small.").waitFor();
  await stage.open("inline.py");
  await stage.select(10, 11);
  await edit(page, "Add the tax instead", async () => await stage.picture("inline-box"));
  await asked("Add the tax instead").first().waitFor();
  await lens("Stop (Esc)").first().waitFor();
  await stage.picture("inline-works");
  await model.goesOn();
  await lens("Keep").first().waitFor();
  await stage.shows(DONE);
  await lens("Change the Words").first().waitFor();
  await stage.picture("inline");
  await stage.theme("Dark 2026");
  await stage.picture("inline-dark");
  await stage.theme("Dark High Contrast", "Default High Contrast");
  await stage.picture("inline-contrast");
  await stage.theme("Light 2026");
  assert.equal(await page.locator(".tab", { hasText: "(proposed)" }).count(), 0);
  await turn.getByText("The shop is small.").waitFor();

  await press(page, "Control+Alt+Shift+A", lens("Undo"));
  await stage.shows(PRICES);
  await stage.goTo(11);
  await edit(page, "Add the tax, and round it");
  await stage.shows(KEPT);
  await asked("Add the tax, and round it").first().waitFor();
  await lens("Keep").first().waitFor();
  const { requests } = await model.told();
  const last = JSON.stringify(requests.at(-1).messages);
  assert.ok(last.includes("Add the tax instead"), "it goes on from what was asked before");
  assert.ok(!last.includes("How large is the shop?"), "the chat's session is another one");
  await press(page, "Control+Alt+A", lens("Keep"));
  await stage.holds("inline.py", KEPT);

  await stage.goTo(11);
  await edit(page, "Leave out what is not needed");
  await lens("Nothing was changed: There is nothing to leave out.").first().waitFor();
  await stage.picture("inline-nothing");
  await lens("Close").first().click();
  await lens("Close").first().waitFor({ state: "detached" });

  await stage.goTo(11);
  await edit(page, "Round it down");
  await lens("Stop (Esc)").first().waitFor();
  await press(page, "Escape", lens("Stop (Esc)"));
  await lens("it was stopped").first().waitFor();
  await model.parted();
  await lens("Go On in Chat").first().click();
  await panel.getByText("Round it down").last().waitFor();
  await stage.picture("inline-chat");
  await page.keyboard.press("F1");
  await page.keyboard.type("Glossator: Resume Session");
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget", { hasText: "How large is the shop?" }).waitFor();
  const rows = page.locator(".quick-input-widget .monaco-list-row");
  assert.ok(
    !(await rows.allTextContents()).join().includes("Edit"),
    "lists have no edits in place",
  );
  await page.keyboard.press("Escape");
}

/** Say what to do with the lines that are selected, or the cursor's. */
async function edit(page, words, seen = async () => undefined) {
  const input = page.locator(".quick-input-widget:visible input").first();
  await again(async (timeout) => {
    await page.keyboard.press("Control+Alt+E");
    await input.waitFor({ timeout });
  });
  await input.fill(words);
  await seen();
  await page.keyboard.press("Enter");
}

/** Press a key in the editor until something is gone. */
async function press(page, key, seen) {
  await again(async (timeout) => {
    await page.keyboard.press(key);
    await seen.first().waitFor({ state: "detached", timeout });
  });
}
