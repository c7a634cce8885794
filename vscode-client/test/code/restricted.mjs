// A folder that nobody trusts: it is read and asked about; what would change it or run something is
// refused, with a sentence that says how to trust it.

import assert from "node:assert/strict";

const SAVED = "LIMIT = 7\n";

export const files = { "restricted.py": SAVED };
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
  await panel.getByRole("button", { name: "Manage trust" }).click();
  await page.locator(".workspace-trust-editor").waitFor();
  await stage.picture("restricted-trust");
}
