// A command is asked about while the panel is hidden and the user types: the keys land in the editor,
// and Enter runs nothing. What waits is then told by a notification, the badge and the status bar.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand, until } from "./gestures.mjs";
import { HELD } from "./model.mjs";

export const files = { "typed.txt": "\n" };
// Enter is to end a line, and nothing else
export const settings = {
  "editor.acceptSuggestionOnEnter": "off",
  "editor.wordBasedSuggestions": "off",
};

const COMMAND = `${Array.from({ length: 71 }, (_, at) => `echo ${at} >> made.txt`).join("\n")}`;
const TEXT = "allow once, then always allow here: I am writing";
const KEYS_MILLISECONDS = 150;

export async function story(stage) {
  const { model, panel, turn, page, workspace } = stage;
  await model.plays(
    ["I make it.", HELD, { Bash: { command: COMMAND } }],
    ["Nothing was made, since you did not allow it."],
  );
  await stage.mode("Ask");
  await stage.open("typed.txt");
  await stage.ask("Make it.");
  await turn.getByText("I make it.").waitFor();
  await runCommand(page, "View: Toggle Primary Side Bar Visibility");
  await stage.press("Control+Home");
  const notice = page.locator(".notifications-toasts", { hasText: "waits for your answer" });
  const noticed = notice.textContent(); // while the user types: it goes after a while
  await page.keyboard.type(TEXT.slice(0, 10));
  await model.goesOn();
  await page.keyboard.type(TEXT.slice(10), { delay: KEYS_MILLISECONDS });
  assert.match(await noticed, /Make it.*echo 0 >> made\.txt … and 70 more lines/);
  await page.keyboard.press("Enter");
  await page.keyboard.type("y1");
  await page.keyboard.press("Enter");
  await stage.shows(`${TEXT}\ny1\n\n`);
  assert.equal(await page.locator(".quick-input-widget:visible").count(), 0);
  const status = page.locator("[id*='glossator.status']", { hasText: "answer needed" });
  await status.first().waitFor();
  await stage.picture("typed-notified");

  const card = panel.locator(".permission");
  const ways = [notice.getByText("Show…"), status.first()]; // the notice goes after a while
  await until(card, async () => await ((await notice.isVisible()) ? ways[0] : ways[1]).click());
  assert.equal(await card.count(), 1);
  await card.and(panel.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("Allow it"); // no key of the card's
  await page.keyboard.press("Enter");
  await stage.picture("typed-card");
  await card.getByRole("button", { name: "Open in an editor" }).click();
  await page.locator(".editor-instance", { hasText: "echo 3 >> made.txt" }).waitFor();
  await stage.picture("typed-document");
  assert.ok(!existsSync(join(workspace, "made.txt")), "nothing was allowed");
  await elsewhere(stage, card);
  await card.locator("vscode-button", { hasText: "Refuse" }).click();
  await turn.getByText("Nothing was made").waitFor();
  assert.ok(!existsSync(join(workspace, "made.txt")));
  await status.first().waitFor({ state: "detached" });
  await stage.open("typed.txt");
  await runCommand(page, "File: Revert File");
}

/** In another session it is a line with the way back, and then it is the same card. */
async function elsewhere({ panel, ...stage }, card) {
  await panel.getByRole("button", { name: "New session" }).click();
  await panel.getByText("Make it. waits for your answer").waitFor();
  assert.equal(await card.count(), 0);
  await stage.page.screenshot({ path: join(stage.pictures, "typed-elsewhere.png") });
  await panel.getByRole("button", { name: "Go there" }).click();
  await card.waitFor();
  assert.equal(await card.count(), 1);
}
