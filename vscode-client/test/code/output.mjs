// What a run's work gives is at hand: the output of a command while it runs and after it, also once the
// window was loaded anew; a job in the background; the files that the turn changed, one of which is
// undone alone; what waits for an answer, when it has scrolled away; the steps.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reload, runCommand, until } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "output.py": PRICES, "other.txt": "as it was\n" };

const TESTS =
  "for n in $(seq 40); do echo test $n ok; done; until [ -e go ]; do sleep 0.1; done; " +
  "printf 'test 41 \\033[31mFAILED\\033[0m <b>42</b>\\n'; rm go; echo more >> other.txt; exit 1";
const STEPS = [
  { text: "Run the tests", state: "done" },
  { text: "Mend the tax", state: "active" },
  { text: "Run them again", state: "pending" },
];

export async function story(stage) {
  const { model, panel, page, turn } = stage;
  await stage.mode("Auto");
  await model.plays(
    [{ Todo: { steps: STEPS } }],
    [{ Bash: { command: TESTS } }],
    [{ Bash: { command: "echo listening; sleep 600", background: true } }],
    [{ Read: { path: "output.py" } }],
    [{ Edit: { path: "output.py", old_text: "VAT = 0.19", new_text: "VAT = 0.07" } }],
    ["Mended."],
  );
  await stage.ask("Run the tests, and mend the tax.");
  const card = turn.locator(".tool", { hasText: "seq 40" });
  await card.getByText("test 40 ok").first().waitFor(); // in the line of the folded card
  const output = card.locator(".output");
  await until(output, () => card.locator(".fold-head").click());
  await output.getByText("Output so far").waitFor();
  const steps = panel.locator(".strip", { hasText: "2 of 3: Mend the tax" });
  await until(steps.getByText("Run them again"), () => steps.locator(".fold-head").click());
  await stage.picture("output-live");
  await steps.locator(".fold-head").click();
  writeFileSync(join(stage.workspace, "go"), "");

  await turn.getByText("Mended.").waitFor();
  await output.getByText("test 41 FAILED <b>42</b>").waitFor();
  assert.match(await card.getAttribute("class"), /failed/);
  await card.locator(".result", { hasText: "exit code 1" }).waitFor();
  await steps.waitFor({ state: "detached" });
  await output.getByRole("button", { name: "Open the output in an editor" }).click();
  await page.locator(".tab.active", { hasText: "Output of Run.txt" }).first().waitFor();

  const list = turn.locator(".files");
  await list.getByText("2 files changed").waitFor();
  await stage.picture("output-files");
  await list.getByRole("button", { name: "other.txt", exact: true }).click();
  await page.locator(".tab.active", { hasText: "before this turn" }).first().waitFor();
  await stage.picture("output-diff");
  await until(page.locator(".notification-toast", { hasText: "Restored: other.txt" }), () =>
    list.getByRole("button", { name: "Undo the changes of other.txt" }).click(),
  );
  await list.getByRole("button", { name: "Redo the changes of other.txt" }).waitFor();
  await stage.holds("other.txt", "as it was\n");

  const jobs = panel.locator(".strip", { hasText: "1 command in the background" });
  const stop = jobs.getByRole("button", { name: "Stop job 1" });
  await until(stop, () => jobs.locator(".fold-head").click());
  await jobs.getByRole("button", { name: "Output of job 1" }).click();
  await page.locator(".tab.active", { hasText: "Job 1.txt" }).first().waitFor();
  await page.locator(".view-line", { hasText: "listening" }).first().waitFor();
  await stage.picture("output-job");
  await stop.click();
  await jobs.waitFor({ state: "detached" });

  await stage.mode("Ask");
  await model.plays([{ Bash: { command: "touch asked" } }], ["Left."]);
  await stage.ask("Touch it.");
  const ask = panel.locator(".permission");
  await ask.waitFor();
  const waiting = panel.locator(".strip.waiting", { hasText: "Run this command" });
  await until(waiting, async () => {
    await panel.locator(".transcript").hover();
    await page.mouse.wheel(0, -5000);
  });
  await stage.picture("output-waiting");
  await waiting.press("Enter");
  await waiting.waitFor({ state: "detached" });
  await until(turn.getByText("Left."), () =>
    ask.locator("vscode-button", { hasText: "Refuse" }).click(),
  );
  assert.ok(!existsSync(join(stage.workspace, "asked")));

  await reload(page);
  await stage.ready();
  const again = panel.locator(".tool", { hasText: "seq 40" });
  await until(again.locator(".output").getByText("test 41 FAILED"), () =>
    again.locator(".fold-head").click(),
  );
  await stage.picture("output-reloaded");
  await stage.open("output.py");
  await runCommand(page, "File: Save");
}
