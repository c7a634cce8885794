// What a run edited without a review is marked in the editor: a part is undone, one is kept, a line that
// the user types stays, the rest is kept in the panel, after a reload. An edit that was allowed on its card is
// not marked; one that was made unasked is undone by the button in the title. Keys go from mark to mark, the
// panel says what is left, the mode comes back with the session, and what is taken away on disk is marked no more.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { again, reload, runCommand } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "kept.py": PRICES };

const TITLE = '"""Prices, with and without the tax."""\n\n';
const EDITS = [
  { old_text: "price / (1 - VAT)", new_text: "price / (1 + VAT)" },
  { old_text: "price * (1 - VAT)", new_text: "round(price * (1 + VAT))" },
  { old_text: TITLE, new_text: "" },
];
const [NET, GROSS] = EDITS;
const KEPT = `# typed\n${PRICES.replace(GROSS.old_text, GROSS.new_text).replace(TITLE, "")}`;
const ASKED = { path: "kept.py", old_text: "VAT = 0.19", new_text: "VAT = 0.08" };
const LAST = { path: "kept.py", old_text: "VAT = 0.08", new_text: "VAT = 0.06" };
const LATER = { path: "kept.py", old_text: "VAT = 0.08", new_text: "VAT = 0.07" };

export async function story(stage) {
  const { model, page, panel, turn, workspace } = stage;
  const lens = (words) => page.locator(".codelens-decoration a", { hasText: words });
  await model.plays(
    [{ Read: { path: "kept.py" } }],
    [{ MultiEdit: { path: "kept.py", edits: EDITS } }],
    ["The tax is added now."],
  );
  await stage.open("kept.py");
  await stage.mode("Accept edits");
  await stage.ask("The prices are wrong. Mend them.");
  await lens("Keep").nth(2).waitFor();
  await turn.getByText("Keep all").waitFor();
  await stage.picture("kept");
  await stage.theme("Dark 2026");
  await stage.picture("kept-dark");
  await stage.theme("Light 2026");

  await stage.goTo(1);
  await page.keyboard.press("Alt+F5");
  await stage.at("Ln 5, Col 1");
  await lens("2 of 3 (Alt+F5)").first().waitFor();
  await page.keyboard.press("Alt+F5");
  await stage.at("Ln 9, Col 1");
  await page.keyboard.press("Alt+Shift+F5");
  await stage.at("Ln 5, Col 1");

  const left = turn.locator(".files .file-row .size");
  await left.filter({ hasText: /\+2\s−4/ }).waitFor();
  await stage.goTo(1);
  await page.keyboard.type("# typed\n");
  await press(lens("Undo"), 1);
  await left.filter({ hasText: /\+1\s−3/ }).waitFor();
  await press(lens("Keep"), 0);
  await stage.shows(KEPT);
  await stage.save();
  await stage.picture("kept-part");
  await reload(page);
  await stage.ready();
  await panel.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  await left.filter({ hasText: /\+1\s−3/ }).waitFor();
  await lens("Keep").first().waitFor();
  assert.equal(await lens("Keep").count(), 1);
  await turn.getByText("Keep all").click();
  await lens("Keep").first().waitFor({ state: "detached" });

  await stage.mode("Ask");
  await model.plays([{ Read: { path: "kept.py" } }], [{ Edit: ASKED }], ["It is eight now."]);
  await stage.ask("Lower the tax.");
  await panel.locator(".permission").getByText("Allow once").click();
  await page.locator(".tab", { hasText: "(proposed)" }).waitFor({ state: "detached" });
  await turn.getByText("It is eight now").waitFor();
  assert.equal(await lens("Undo").count(), 0);

  await stage.mode("Accept edits");
  await model.plays([{ Edit: LATER }], ["It is seven now."]);
  await stage.ask("Lower it more.");
  await lens("Undo").first().waitFor();
  await turn.getByText("It is seven now").waitFor();
  await stage.picture("kept-later");
  await page.getByRole("button", { name: "Undo All Changes of This File" }).first().click();
  const lowered = KEPT.replace(ASKED.old_text, ASKED.new_text);
  await stage.shows(lowered);
  await lens("Undo").first().waitFor({ state: "detached" });
  assert.ok(!lowered.includes(NET.new_text));
  await stage.save();
  await stage.holds("kept.py", lowered);

  await model.plays([{ Read: { path: "kept.py" } }], [{ Edit: LAST }], ["It is six now."]);
  await stage.ask("And more.");
  await turn.getByText("It is six now").waitFor();
  await turn.getByText("Keep all").waitFor();
  await stage.holds("kept.py", lowered.replace(LAST.old_text, LAST.new_text));
  await runCommand(page, "View: Close All Editors");
  writeFileSync(join(workspace, "kept.py"), lowered); // as `git checkout` does it
  await turn.getByText("Keep all").waitFor({ state: "detached" });
  await turn.locator(".file-row .tag", { hasText: "undone" }).waitFor();
  await stage.picture("kept-gone");
}

/** Press one of the code lenses, counted from above, until one is gone. */
async function press(lenses, at) {
  const count = await lenses.count();
  await again(async (timeout) => {
    if ((await lenses.count()) === count) {
      const tops = await lenses.evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect().top),
      );
      const place = tops.indexOf(tops.toSorted((one, other) => one - other)[at]);
      await lenses.nth(place).click({ timeout });
    }
    await lenses.nth(count - 1).waitFor({ state: "detached", timeout: 15_000 });
  });
}
