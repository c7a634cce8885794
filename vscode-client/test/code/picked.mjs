// The panel does not come up, so a picker stands in for it: typed letters choose nothing in it, and
// Enter denies.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reload, runCommand } from "./gestures.mjs";

const COMMAND = "echo yes > picked.txt";
const WEBVIEWS = /contrib\/webview\/browser\/pre\//;
const GUARD_MILLISECONDS = 900;

export async function story(stage) {
  const { model, page, workspace } = stage;
  const context = page.context();
  await stage.mode("Ask");
  await context.route(WEBVIEWS, (route) => route.abort());
  await reload(page);
  await stage.ready();
  await model.plays([{ Bash: { command: COMMAND } }], ["Nothing was made."]);
  await runCommand(page, "Glossator: Ask…");
  const box = page.locator(".quick-input-widget:visible");
  await box.locator("input").first().waitFor();
  await page.keyboard.type("Make it.");
  await page.keyboard.press("Enter");
  const notice = page.locator(".notifications-toasts", { hasText: "waits for your answer" });
  await notice.getByText("Show…").click();
  const rows = box.locator(".monaco-list-row");
  await rows.first().waitFor();
  await page.keyboard.type("Allow once");
  await page.keyboard.press("Enter");
  await rows.first().filter({ hasText: "Refuse" }).waitFor(); // once what was typed is gone
  assert.equal(await rows.count(), 2, "nothing is filtered");
  await stage.picture("picked");
  await page.waitForTimeout(GUARD_MILLISECONDS);
  await box.locator(".monaco-list-row.focused", { hasText: "Refuse" }).waitFor();
  await page.keyboard.press("Enter");
  await box.getByText("What should it do instead?").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Glossator has answered").first().waitFor();
  assert.ok(!existsSync(join(workspace, "picked.txt")));
  await context.unroute(WEBVIEWS);
  await reload(page);
  await stage.ready();
}
