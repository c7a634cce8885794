// Without autosave an edit is on disk, as VS Code formats it, unless it was made in what the user had
// not saved: then the card and the turn say so, a button saves it, and what "Don't Save" loses is gone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { runCommand } from "./gestures.mjs";
import { resultOf } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "saved.py": PRICES, "typed.py": PRICES };
export const settings = { "files.trimTrailingWhitespace": true };

const [BEFORE, AFTER] = ["VAT = 0.19", "VAT = 0.07"];
const CHANGED = PRICES.replace(BEFORE, AFTER);
const MINE = "# not ready yet\n";

export async function story(stage) {
  const { model, turn, page, panel } = stage;
  git(stage, "init", "--quiet");
  git(stage, "add", "saved.py", "typed.py");
  await stage.mode("Accept edits");

  await model.plays(...lowering("saved.py", `${AFTER}  `));
  await stage.ask("Lower the tax.");
  await turn.getByText("Lowered in saved.py").waitFor();
  assert.equal(await became(turn), "applied");
  assert.equal(stage.onDisk("saved.py"), CHANGED);
  const { requests } = await model.told();
  assert.match(resultOf(requests.at(-1), "Edit"), /\tVAT = 0\.07\n/);
  assert.equal(git(stage, "diff", "--name-only"), "saved.py\n");
  assert.equal(await page.locator(".tab.dirty").count(), 0);
  await stage.picture("saved-edit");
  await runCommand(page, "View: Close All Editors"); // which would ask what to save
  assert.equal(stage.onDisk("saved.py"), CHANGED);

  await stage.open("typed.py");
  await stage.press("Control+Home");
  await page.keyboard.type(MINE);
  await model.plays(...lowering("typed.py"));
  await stage.ask("Lower it there, too.");
  await turn.getByText("Not saved in the editor: typed.py.").waitFor();
  assert.equal(await became(turn), "not saved");
  assert.equal(stage.onDisk("typed.py"), PRICES);
  await stage.picture("saved-not");

  await runCommand(page, "View: Close Editor");
  await page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" }).click();
  await turn.getByText("Gone: typed.py").waitFor();
  assert.equal(await became(turn), "gone");
  await stage.picture("saved-gone");

  await stage.open("typed.py");
  await stage.press("Control+Home");
  await page.keyboard.type(MINE);
  await model.plays(...lowering("typed.py"));
  await stage.ask("Once more.");
  await turn.getByText("Not saved in the editor: typed.py.").waitFor();
  await turn.getByRole("button", { name: "Save", exact: true }).click();
  await turn.getByText("Not saved in the editor").waitFor({ state: "detached" });
  assert.equal(await became(turn), "applied");
  assert.equal(stage.onDisk("typed.py"), MINE + CHANGED);

  const first = panel.locator(".turn").first();
  await first.getByRole("button", { name: "Undo all of this turn's changes" }).click();
  await first.getByText("Undone: what this turn changed").waitFor();
  await stage.holds("saved.py", PRICES);
  assert.equal(await page.locator(".tab.dirty").count(), 0);
}

async function became(turn) {
  return await turn.locator(".fold.edit .became").textContent();
}

function lowering(path, after = AFTER) {
  return [
    [{ Read: { path } }],
    [{ Edit: { path, old_text: BEFORE, new_text: after } }],
    [`Lowered in ${path}.`],
  ];
}

function git({ workspace }, ...command) {
  return execFileSync("git", ["-C", workspace, ...command], { encoding: "utf-8" });
}
