// A first run without a key, in a folder that nobody trusts yet, and with a Python that is too old: it is
// said, and what to do. With another one the server leaves out what the folder describes, until it is
// trusted. Ask, and land on the line that a citation names; then reload the window, and find everything
// as it was. node start.mjs VSIX PYTHON [FOLDER for pictures]

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoFolder } from "./demo.mjs";
import { reload, runCommand, webview } from "./gestures.mjs";
import { openWindow } from "./window.mjs";

const [vsix, python, pictures = "/tmp"] = process.argv.slice(2);
const QUESTION = "How is the area of a circle computed?";
const SLOW = { timeout: 90_000 };

const workspace = demoFolder(mkdtempSync("/tmp/start-"));
writeFileSync(join(workspace, "CLAUDE.md"), "Do as this folder says.\n");
const old = `${workspace}-python`;
writeFileSync(old, "#!/bin/sh\necho 3 9\n", { mode: 0o755 });
const settings = {
  "glossator.python": old,
  "glossator.models.offline": true,
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};
const window = await openWindow({ workspace, vsix, settings });
const { page } = window;
const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });
let code = 1;
try {
  const said = page.locator(".notifications-toasts .notification-list-item");
  await said.getByText("is Python 3.9; Glossator needs 3.11 or newer").waitFor(SLOW);
  await runCommand(page, "Glossator: Focus on Chat View");
  await webview(page).getByText("is Python 3.9").waitFor();
  await picture("start-python");
  await said.getByRole("button", { name: "Open Setting" }).click();
  await page.locator(".settings-editor").getByText("this Python (3.11 or newer)").waitFor();
  await picture("start-setting");
  await page.keyboard.press("Escape");
  const corrected = JSON.stringify({ ...settings, "glossator.python": python });
  writeFileSync(join(window.folder, "data/Machine/settings.json"), corrected);
  await page.locator("[id*='glossator.status']", { hasText: "offline" }).first().waitFor(SLOW);
  await runCommand(page, "Glossator: Focus on Context View");
  await page.getByText("This folder is not trusted: what its files describe").waitFor(SLOW);
  await runCommand(page, "Glossator: Ask");
  const restricted = webview(page).getByText("Restricted: this workspace is not trusted");
  await restricted.waitFor();
  await webview(page).getByRole("button", { name: "Manage trust" }).click();
  const trust = page.locator(".workspace-trust-editor");
  await trust.getByRole("button", { name: "Trust", exact: true }).click();
  await restricted.waitFor({ state: "detached", ...SLOW });
  await runCommand(page, "View: Close All Editors");
  await runCommand(page, "Glossator: Ask");
  const box = webview(page).locator("textarea").first();
  await box.fill(QUESTION);
  await box.press("Enter");
  await citation().waitFor();
  await picture("start-answer");
  await citation().click();
  await page.locator(".editor-instance .view-line", { hasText: "def area" }).first().waitFor();
  const place = page.locator("[id='status.editor.selection']").first();
  assert.match(await place.textContent(), /^Ln 4, Col 1/);
  await picture("start-citation");
  await reload(page);
  await webview(page).getByText(QUESTION).first().waitFor(SLOW);
  await citation().waitFor();
  await picture("start-reloaded");
  code = 0;
} catch (error) {
  process.stdout.write(`${error.stack}\n${window.log()}\n`);
  await picture("start-failed");
}
await window.close();
rmSync(workspace, { recursive: true });
rmSync(old);
process.exit(code);

function citation() {
  return webview(page).locator("[data-cite]").first();
}
