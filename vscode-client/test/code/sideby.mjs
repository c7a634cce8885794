// Two sessions side by side, each in a worktree of its own, while the user's files stay as they are:
// one goes on behind the other, and is merged by its button; the other is thrown away.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./gestures.mjs";
import { HELD } from "./model.mjs";

const PRICES = "VAT = 0.19\n";
const TILL = "OPEN = False\n";

export const files = { "prices.py": PRICES, "till.py": TILL };
export const settings = { "glossator.permissions.mode": "acceptEdits" };

const edit = (path, old_text, new_text) => [
  [{ Read: { path } }],
  [{ Edit: { path, old_text, new_text } }],
];

export async function story(stage) {
  const { panel, model, page, workspace } = stage;
  const git = (...words) =>
    execFileSync("git", words, { cwd: workspace, encoding: "utf-8", stdio: "pipe" }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", "--all"); // also what other stories made
  git("commit", "-qm", "First");
  const apart = panel.getByRole("button", { name: /^Work in a git worktree/ });
  const line = panel.locator(".worktree");
  const rows = panel.locator(".sessions li");
  const list = () =>
    until(rows.first(), () => panel.getByRole("button", { name: "Sessions", exact: true }).click());

  await model.plays(
    ...edit("prices.py", "0.19", "0.2"),
    ["The tax is raised", HELD, " in `prices.py:1`."],
    ...edit("till.py", "False", "True"),
    ["The till is open."],
  );
  await until(panel.locator(".icon-button[aria-pressed=true]"), () => apart.click());
  await stage.ask("Raise the tax.");
  await panel.locator(".answer").getByText("The tax is raised").waitFor();
  await line.getByText("glossator/work-1").waitFor();
  await stage.begin();
  await until(panel.locator(".icon-button[aria-pressed=true]"), () => apart.click());
  await stage.ask("Open the till.");
  await panel.locator(".answer").getByText("The till is open.").waitFor();
  await line.getByText("glossator/work-2, 1 file").waitFor();
  assert.deepEqual([stage.onDisk("prices.py"), stage.onDisk("till.py")], [PRICES, TILL]);

  await list();
  await rows.filter({ hasText: "Raise the tax." }).getByText("running").waitFor();
  await rows.filter({ hasText: "Open the till." }).getByText("glossator/work-2, 1 file").waitFor();
  await stage.picture("sideby");
  await stage.theme("Dark 2026");
  await stage.picture("sideby-dark");
  await model.goesOn();
  await rows
    .filter({ hasText: "Raise the tax." })
    .getByText("running")
    .waitFor({ state: "hidden" });
  await until(line.getByText("glossator/work-1, 1 file"), () =>
    rows.getByText("Raise the tax.").click(),
  );

  await panel.locator(".answer .cite").first().click(); // the worktree's file, which differs
  await page.locator(".tab.active", { hasText: "prices.py" }).first().waitFor();
  await stage.shows("VAT = 0.2\n");
  const folder = git("worktree", "list").split("\n")[1].split(" ")[0];
  assert.equal(readFileSync(join(folder, "prices.py"), "utf-8"), "VAT = 0.2\n");
  await stage.picture("sideby-cited");

  await line.getByRole("button", { name: "Merge" }).click();
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.getByText("Merge glossator/work-1 into main?").waitFor();
  await stage.picture("sideby-merging");
  await dialog.getByText("Merge", { exact: true }).click();
  await line.getByText("was merged").waitFor();
  await stage.holds("prices.py", "VAT = 0.2\n");
  await page.getByText("To take it back: git reset --keep").first().waitFor();
  assert.equal(git("status", "--porcelain"), "");
  assert.ok(!existsSync(folder));
  await stage.picture("sideby-merged");

  await panel.getByText("prices.py", { exact: true }).last().click(); // now the user's own file
  await page
    .locator(".breadcrumbs-control", { hasText: /^prices.py/ })
    .first()
    .waitFor();
  await list();
  await until(line.getByText("glossator/work-2, 1 file"), () =>
    rows.getByText("Open the till.").click(),
  );
  await line.getByRole("button", { name: "Throw away" }).click();
  await dialog.getByText("has 1 changed file. It exists nowhere else.").waitFor();
  await stage.picture("sideby-asked");
  await dialog.getByText("Throw Away", { exact: true }).click();
  await line.getByText("was thrown away").waitFor();
  assert.equal(stage.onDisk("till.py"), TILL);
  assert.equal(git("branch", "--format=%(refname:short)"), "main");
  await stage.theme("Light 2026");
}
