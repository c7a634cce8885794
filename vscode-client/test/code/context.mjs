// What the model is told, and where that comes from: a workspace brings instructions, a skill, a slash
// command, a sub-agent, a hook and an MCP server, and something is remembered. The Context view lists
// them; switching, approving and forgetting change what the next session is told.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { quickInput, runCommand, until } from "./gestures.mjs";
import { described } from "./tickets.mjs";

const [, python] = process.argv.slice(2);
const MEMORY = {
  action: "write",
  name: "likes-cents",
  type: "feedback",
  description: "Wants prices in whole cents.",
  text: "Rounding went wrong once.",
};
const THEMES = { dark: "Dark 2026", light: "Light 2026" };

export const files = { ...described(python), "printed.txt": "" };

export async function story(stage) {
  commit(stage.workspace);
  await beginning(stage);
  await listed(stage);
  await forgetting(stage);
  await turningOff(stage);
  await approving(stage);
  await managing(stage);
  await opening(stage);
  await completing(stage);
  await printing(stage);
}

function commit(cwd) {
  const git = (...words) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...words], { cwd });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "Prices in whole cents");
}

/** The first request has what the workspace brings, and what the editor shows. */
async function beginning(stage) {
  const { model, panel, turn } = stage;
  await model.plays([{ Memory: MEMORY }], ["I will remember that."]);
  await stage.open("prices.py");
  await stage.select(4, 5);
  await previewed(stage);
  await stage.ask("Prices are always whole cents. Remember that.");
  await panel.locator(".permission").getByText("Allow once").click();
  await turn.getByText("I will remember that").waitFor();
  const told = await lastTold(model);
  assert.match(told, /Active: prices\.py, lines 1-6 visible, lines 4-5 selected/);
  assert.match(told, /Prices are whole cents/);
  assert.match(told, /Releases a version of the shop/);
  assert.doesNotMatch(told, /closed on Sundays/);
}

/** What goes with a question is there to see before it is sent. */
async function previewed(stage) {
  const { panel } = stage;
  const strip = panel.locator("[data-fold='strip going']");
  await panel.locator("textarea").fill("Why are prices in cents in @prices.py?");
  await strip.getByText(/Goes along: .*1 mention, 1 attachment/).waitFor();
  await strip.locator(".fold-head").click();
  await strip.locator(".going li").first().waitFor();
  await stage.picture("context-going");
  await strip.locator(".fold-head").click();
  await panel.locator("textarea").fill("");
  await strip.waitFor({ state: "detached" });
}

async function listed(stage) {
  const { page } = stage;
  await runCommand(page, "Glossator: Focus on Context View");
  await stage.heighten("Context", 480);
  for (const name of ["CLAUDE.md", "likes-cents", "release", "changelog", "reviewer"]) {
    await entry(stage, name).waitFor();
  }
  for (const name of ["promptSubmit", "tickets"]) {
    await entry(stage, `${name}, not approved`).waitFor();
  }
  await entry(stage, "Words and lines").waitFor();
  for (const [name, theme] of Object.entries(THEMES)) {
    await stage.theme(theme);
    await stage.picture(`context-listed-${name}`);
  }
  await entry(stage, "tickets").hover();
  await page.locator(".monaco-hover", { hasText: "tickets.py" }).waitFor();
  await stage.picture("context-hovered");
}

async function forgetting(stage) {
  const { page } = stage;
  const dialog = page.locator(".monaco-dialog-box");
  const warned = dialog.getByText("Its file is deleted for good");
  await until(warned, () => choose(stage, "likes-cents", "Forget…"));
  await dialog.getByRole("button", { name: "Forget" }).click();
  await entry(stage, "likes-cents").waitFor({ state: "detached" });
}

/** What is off is not told to the next session, and on again it is. */
async function turningOff(stage) {
  await tick(stage, "release, this workspace", "release, off");
  await stage.picture("context-off");
  assert.doesNotMatch(await told(stage, "Which skills are there?"), /Releases a version/);
  await tick(stage, "release, off", "release, this workspace");
  assert.match(await told(stage, "And now?"), /Releases a version/);
}

async function tick(stage, before, after) {
  await until(entry(stage, after), () => entry(stage, before).getByRole("checkbox").click());
}

/** The user sees what would run, and says yes to it. */
async function approving(stage) {
  const { panel } = stage;
  const card = panel.locator(".question-card");
  const asks = (words) => card.getByText(words).first();
  await until(asks("tools/tickets.py"), () => press(stage, "tickets", "Approve…"));
  await stage.picture("context-approve");
  await card.getByText("Adopt it").click();
  await entry(stage, "tickets, this workspace").waitFor();

  await until(asks("closed on Sundays"), () => press(stage, "promptSubmit", "Approve…"));
  await stage.picture("context-approve-hook");
  await card.getByRole("button").first().click();
  await entry(stage, "promptSubmit, this workspace").waitFor();
  const request = await told(stage, "Are we open?");
  assert.match(request, /The shop is closed on Sundays/);
  assert.match(request, /mcp__tickets__find/);
  await stage.picture("context-approved");
}

/** All of it can be had from the palette, too. */
async function managing(stage) {
  const { page } = stage;
  const rows = page.locator(".quick-input-widget .monaco-list-row");
  await quickInput(page, "F1", ">Glossator: Manage Context…");
  await rows.filter({ hasText: "Manage Context…" }).first().click();
  await rows.filter({ hasText: "reviewer" }).click();
  await rows.filter({ hasText: "Turn Off" }).click();
  await entry(stage, "reviewer, off").waitFor();
}

async function opening(stage) {
  await entry(stage, "CLAUDE.md").click();
  await stage.page.locator(".tab.active", { hasText: "CLAUDE.md" }).first().waitFor();
  await stage.shows("# The shop\n\nPrices are whole cents.\n");
}

/** `@` and `/` complete what there is, and say what it is. */
async function completing(stage) {
  await completes(stage, "@git", "git:diff");
  await completes(stage, "@ticket", "MCP resource");
  await completes(stage, "/", "custom command", "skill", "MCP prompt");
  await completes(stage, "/mcp", "triage");
}

async function completes(stage, typed, ...wanted) {
  const { panel } = stage;
  const box = panel.locator("textarea").first();
  await box.pressSequentially(typed);
  const list = panel.locator(".completions");
  for (const words of wanted) {
    await list.getByText(words).first().waitFor();
  }
  await stage.picture(`context-completes-${typed.replace(/\W/, "") || "all"}`);
  await box.fill("");
  await list.waitFor({ state: "hidden" });
}

/** What a terminal printed goes along with the question that mentions it. */
async function printing(stage) {
  const { page } = stage;
  await runCommand(page, "Terminal: Create New Terminal");
  await page.locator(".terminal-wrapper.active").waitFor();
  // VS Code tells nothing of what a command prints that ends at once
  await page.keyboard.type("sleep 1; echo $((6 * 7)) prices | tee printed.txt\n");
  await stage.holds("printed.txt", "42 prices\n");
  await stage.picture("context-terminal");
  const request = await told(stage, "What does @terminal say?");
  assert.match(request, /\$ sleep 1; echo .*tee printed\.txt\n42 prices\n\[exit code 0\]/);
}

/** What the first request of a new session holds. */
async function told(stage, question) {
  const { model, turn } = stage;
  await stage.begin();
  await model.plays(["Noted."]);
  await stage.ask(question);
  await turn.getByText("Noted.").waitFor();
  return await lastTold(model);
}

/** All that the last request holds, as one text. */
async function lastTold(model) {
  const { requests } = await model.told();
  return JSON.stringify(requests.at(-1)).replaceAll("\\n", "\n");
}

function entry({ page }, name) {
  return page.getByRole("treeitem", { name: new RegExp(`^${name}`) });
}

/** Press what stands beside an entry. */
async function press(stage, name, action) {
  await entry(stage, name).hover();
  await entry(stage, name).getByRole("button", { name: action }).click({ timeout: 15_000 });
}

/** Choose from the menu of an entry. */
async function choose(stage, name, action) {
  await stage.page.keyboard.press("Escape"); // a menu that is open
  await entry(stage, name).click({ button: "right" });
  await stage.page.locator(".monaco-menu").getByText(action).hover({ timeout: 15_000 });
  await stage.page.keyboard.press("Enter"); // a menu may ignore a click just after it has opened
}
