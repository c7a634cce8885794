// A folder that nobody trusts: it is read and asked about; what would change it or run something is
// refused, with a sentence that says how to trust it.

import assert from "node:assert/strict";
import { runCommand } from "./gestures.mjs";
import { described } from "./tickets.mjs";

const [, python] = process.argv.slice(2);
const SAVED = "LIMIT = 7\n";

export const files = { ...described(python), "restricted.py": SAVED };
export const settings = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

export async function story(stage) {
  const { model, turn, page, panel } = stage;
  await stage.mode("Auto");
  await model.plays(
    [{ Read: { path: "restricted.py" } }],
    [{ Edit: { path: "restricted.py", old_text: "7", new_text: "8" } }],
    [{ Bash: { command: "touch made" } }],
    ["The limit is seven [cite: doc, restricted.py, L1]; I could not change it."],
  );
  await stage.ask("Raise the limit to eight.");
  await turn.locator(".cite.read").waitFor();
  const refused = turn.locator(".tool.failed", { hasText: "not trusted" });
  assert.equal(await refused.count(), 2);
  await refused.first().locator(".fold-head").click();
  await refused.first().locator(".result", { hasText: "trust it in the editor" }).waitFor();
  await panel.getByText("Restricted: this workspace is not trusted").waitFor();
  await stage.picture("restricted-answer");
  assert.equal(stage.onDisk("restricted.py"), SAVED);
  assert.throws(() => stage.onDisk("made"));
  await leftOut(stage);
  await panel.getByRole("button", { name: "Manage trust" }).click();
  await page.locator(".workspace-trust-editor").waitFor();
  await stage.picture("restricted-trust");
}

/** What the folder brings is listed as left out, and the model was told nothing of it. */
async function leftOut(stage) {
  const { page, model } = stage;
  await runCommand(page, "Glossator: Focus on Context View");
  await stage.heighten("Context", 400);
  await page
    .getByText("This folder is not trusted: what its files describe is left out.")
    .waitFor();
  for (const name of ["CLAUDE.md", "promptSubmit", "tickets"]) {
    await page.getByRole("treeitem", { name: `${name}, left out, this workspace` }).waitFor();
  }
  await stage.picture("restricted-context");
  const { requests } = await model.told();
  assert.doesNotMatch(JSON.stringify(requests), /whole cents|Releases a version|closed on Sundays/);
}
