// A turn is undone, and that is undone: the card, the marks and the turn say so, after the window was
// loaded anew, too.

import assert from "node:assert/strict";
import { reload, runCommand } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "undone.py": PRICES };
export const settings = { "glossator.edits.review": "propose" };

const [BEFORE, AFTER] = ["VAT = 0.19", "VAT = 0.07"];

export async function story(stage) {
  const { model, turn, page } = stage;
  const changed = PRICES.replace(BEFORE, AFTER);
  await stage.mode("Accept edits");
  await stage.open("undone.py");
  await model.plays(
    [{ Read: { path: "undone.py" } }],
    [{ Edit: { path: "undone.py", old_text: BEFORE, new_text: AFTER } }],
    [{ Read: { path: "undone.py" } }],
    ["The tax is seven now [cite: doc, undone.py, L3]."],
  );
  await stage.ask("Lower the tax.");
  await turn.locator("vscode-button", { hasText: "Accept" }).click();
  await turn.locator(".cite.read").waitFor();
  await stage.shows(changed);

  await turn.getByRole("button", { name: "Undo all of this turn's changes" }).click();
  await turn.getByText("Undone: what this turn changed").waitFor();
  await turn.locator(".cite.undone").waitFor();
  assert.match(await turn.locator(".fold.edit").textContent(), /undone/);
  await stage.shows(PRICES);
  await stage.picture("undone");

  await reload(page);
  await stage.ready();
  await turn.getByText("Undone: what this turn changed").waitFor();
  await turn.getByRole("button", { name: "Redo", exact: true }).click();
  await turn.locator(".cite.read").waitFor();
  assert.match(await turn.locator(".fold.edit").textContent(), /applied/);
  await stage.open("undone.py");
  await stage.shows(changed);
  await stage.picture("undone-redone");
  await runCommand(page, "File: Save");
}
