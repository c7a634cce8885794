// Edits wait for permission. Each opens as a diff by itself, while the keyboard stays where it is: the
// first is taken in part there, the second on its card, the third is rejected by a key.

import assert from "node:assert/strict";
import { until } from "./gestures.mjs";
import { resultOf } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "diffs.py": PRICES };
export const settings = { "diffEditor.codeLens": true };

const EDITS = [
  { old_text: "price / (1 - VAT)", new_text: "price / (1 + VAT)" },
  { old_text: "price * (1 - VAT)", new_text: "round(price * (1 + VAT))" },
  { old_text: "print(price)", new_text: "print(round(price, 2))" },
];
const FIRST = PRICES.replace("price / (1 - VAT)", "price / (1 + VAT)").replace(
  "print(price)",
  "print(round(price, 2))",
);
const MULTIPLIED = {
  path: "diffs.py",
  old_text: "price * (1 - VAT)",
  new_text: "price * (1 + VAT)",
};
const SECOND = FIRST.replace("price * (1 - VAT)", "price * (1 + VAT)");
const NOTES = "# Prices\n\nWith the tax, and without.\n";

export async function story(stage) {
  const { model, page, panel, turn } = stage;
  await model.plays(
    [{ Read: { path: "diffs.py" } }],
    [{ MultiEdit: { path: "diffs.py", edits: EDITS } }],
    [{ Edit: MULTIPLIED }],
    [{ Write: { path: "NOTES.md", content: NOTES } }],
    ["The tax is added now, and what is shown is rounded."],
  );
  await stage.open("diffs.py");
  await stage.mode("Ask");
  await stage.ask("The prices are wrong. Mend them.");

  const card = panel.locator(".permission");
  const diff = page.locator(".tab.active", { hasText: "(proposed)" });
  const lens = (words) => page.locator(".codelens-decoration a", { hasText: words });
  await card.waitFor();
  await diff.waitFor();
  assert.equal(await card.locator(".hunk").count(), 3);
  assert.ok((await card.locator(".line.new .number").first().textContent()) !== "");
  await panel.locator("textarea:focus").waitFor();
  await lens("Reject This Part").nth(2).waitFor();
  await stage.picture("diffs-asked");
  await until(page.getByText("Part 2 of 3: rejected").first(), () =>
    lens("Reject This Part").nth(1).click(),
  );
  await stage.picture("diffs-part");
  await stage.theme("Dark 2026");
  await stage.picture("diffs-dark");
  await stage.theme("Light 2026");
  await page.getByRole("button", { name: "Accept Edit" }).first().click();
  await diff.waitFor({ state: "detached" });
  await stage.shows(FIRST);

  await card.getByText("1 + VAT").waitFor();
  await diff.waitFor();
  await lens("Accept").first().waitFor();
  await stage.picture("diffs-card");
  await card.getByText("Allow once").click();
  await diff.waitFor({ state: "detached" });
  await stage.shows(SECOND);

  await card.getByText("new file").waitFor();
  await diff.waitFor();
  await lens("Accept").first().waitFor();
  await stage.picture("diffs-file");
  const right = page.locator(".editor-instance .modified .view-lines").first();
  await until(turn.locator(".answer", { hasText: "rounded" }), async () => {
    await right.click();
    await page.keyboard.press("Control+Alt+Shift+A");
  });
  await diff.waitFor({ state: "detached" });
  const { requests } = await model.told();
  const last = requests.at(-1);
  assert.match(resultOf(last, "MultiEdit"), /The user rejected 1 of 3 changes \(line \d+\)/);
  assert.match(resultOf(last, "Write"), /The user refused this/);
  await stage.save();
  await stage.holds("diffs.py", SECOND);
}
