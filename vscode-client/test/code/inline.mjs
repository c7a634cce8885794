// Lines are edited where they stand: what to do is typed in a box, the edit waits as a diff although the
// mode accepts edits, a key takes it, and another one rejects it. A third is cancelled on its way.

import assert from "node:assert/strict";
import { again, until } from "./gestures.mjs";
import { HELD, resultOf } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "inline.py": PRICES };

const EDIT = { path: "inline.py", old_text: "price * (1 - VAT)", new_text: "price * (1 + VAT)" };
const DONE = PRICES.replace("price * (1 - VAT)", "price * (1 + VAT)");
const AGAIN = { path: "inline.py", old_text: "price * (1 + VAT)", new_text: "price" };

export async function story(stage) {
  const { model, page } = stage;
  const diff = page.locator(".tab.active", { hasText: "(proposed)" });
  const progress = page.locator(".notifications-toasts", { hasText: "Glossator edits inline.py" });
  await model.plays(
    [{ Edit: EDIT }],
    ["The tax is added."],
    [{ Edit: AGAIN }],
    ["So be it."],
    ["It is", HELD, " on its way."],
  );
  await stage.mode("Accept edits");
  await stage.open("inline.py");
  await stage.select(10, 11);
  await edit(page, "Add the tax instead", async () => await stage.picture("inline-box"));
  await diff.waitFor();
  await progress.getByText("Accept or reject it").waitFor();
  await page
    .locator(".modified .view-lines", { hasText: /1\s\+\sVAT/ })
    .first()
    .waitFor();
  await stage.picture("inline-diff");
  await stage.holds("inline.py", PRICES);
  await answer(page, "Control+Alt+A", diff);
  await stage.shows(DONE);
  await progress.waitFor({ state: "detached" });
  await stage.save();
  await stage.holds("inline.py", DONE);

  await stage.goTo(11);
  await edit(page, "Leave the tax out");
  await diff.waitFor();
  await answer(page, "Control+Alt+Shift+A", diff);
  await progress.waitFor({ state: "detached" });
  const { requests } = await model.told();
  assert.match(resultOf(requests.at(-1), "Edit"), /The user rejected this edit/);
  await stage.shows(DONE);

  await stage.goTo(11);
  await edit(page, "Round it");
  await progress.waitFor();
  await stage.picture("inline-progress");
  await until(stage.turn.getByText("Stopped"), async () => {
    await progress.getByRole("button", { name: "Cancel" }).click({ timeout: 5_000 });
  });
  await progress.waitFor({ state: "detached" });
  await model.parted();
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

/** The keyboard is in the diff already; its key is pressed until the diff is gone. */
async function answer(page, key, diff) {
  await again(async (timeout) => {
    await page.keyboard.press(key);
    await diff.waitFor({ state: "detached", timeout });
  });
}
