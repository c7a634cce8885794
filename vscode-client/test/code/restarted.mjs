// A permission is asked for when the server is restarted, and when the window is loaded anew: it is
// void then, its card is gone, and that is said.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reload, runCommand } from "./gestures.mjs";

const COMMAND = "echo yes > restarted.txt";

export async function story(stage) {
  const { model, panel, turn, page, workspace } = stage;
  const card = panel.locator(".permission");
  await stage.mode("Ask");
  await model.plays([{ Bash: { command: COMMAND } }], [{ Bash: { command: COMMAND } }]);
  await stage.ask("Make it.");
  await card.waitFor();
  await runCommand(page, "Glossator: Restart Server");
  await turn.getByText("server ended before the answer was whole").waitFor();
  await page.getByText("this needs no answer any more").first().waitFor();
  assert.equal(await card.count(), 0);
  await stage.picture("restarted");
  await stage.ready();

  await stage.ask("Make it again.");
  await card.waitFor();
  await reload(page);
  await stage.ready();
  await turn.getByText("Make it again.").waitFor();
  await turn
    .getByText(/Stopped|failed|ended|not finished/)
    .first()
    .waitFor();
  await stage.picture("restarted-reloaded");
  assert.equal(await panel.locator(".ask, .waits").count(), 0);
  assert.ok(!existsSync(join(workspace, "restarted.txt")));
}
