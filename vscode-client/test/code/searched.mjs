// Search: the list shows hits while one types, the editor the one that one moves to; Escape brings
// back what was open, Enter opens. In the chat, what Search found opens at its lines. What contexts
// cost is asked about, and without a yes nothing is sent; making them can be cancelled, and those of a
// colleague are imported from a file.

import assert from "node:assert/strict";
import { quickInput, runCommand, until } from "./gestures.mjs";
import { HELD } from "./model.mjs";
import { PRICES } from "./shop.mjs";

const KEY = "Control+Alt+Shift+G";
const HERD = `${"# far down\n".repeat(60)}

def zebra_stripes(count):
    """How many stripes a herd of zebras has."""
    return count * 26
`;
const NOTES = "# The zoo\n\nZebra stripes are counted by herd.\n";

const SHARED = `{"format": "glossator-contexts", "version": 1}
{"key": "${"5e".repeat(32)}", "context": "Counts the stripes of a herd."}
`;

export const files = {
  "herd.py": HERD,
  "zoo.md": NOTES,
  "prices.py": PRICES,
  "shared.jsonl": SHARED,
};

export async function story(stage) {
  const { page, model, turn } = stage;
  const box = page.locator(".quick-input-widget:visible");
  const rows = box.locator(".monaco-list-row");
  await stage.open("prices.py");
  await quickInput(page, KEY, "zebra stripes");
  await rows.nth(1).waitFor();
  assert.match(await rows.first().textContent(), /herd\.py:\d+-65.*zebra_stripes/s);
  // A key in the moment in which hits come is lost: the first of them is the active one then.
  const to = (name, key) =>
    until(page.locator(".tab.active", { hasText: name }), () => page.keyboard.press(key));
  await to("zoo.md", "ArrowDown");
  await stage.picture("searched-list");
  await to("herd.py", "ArrowUp");
  await page.locator(".editor-instance", { hasText: "zebra_stripes(count)" }).waitFor();
  await stage.picture("searched-preview");
  await page.keyboard.press("Escape");
  await page.locator(".tab.active", { hasText: "prices.py" }).waitFor();
  await page.locator(".tab", { hasText: "herd.py" }).waitFor({ state: "detached" });

  await quickInput(page, KEY, "zebra stripes");
  await rows.nth(1).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tab.active", { hasText: "herd.py" }).waitFor();
  await stage.at("Ln 63, Col 1");

  await model.plays([{ Search: { query: "zebra stripes" } }], ["A herd has 26 for each."]);
  await stage.ask("How many stripes?");
  await turn.getByText("A herd has 26 for each").waitFor();
  await turn.locator(".tool", { hasText: "places" }).locator(".fold-head").click();
  const place = turn.locator(".places .link", { hasText: "zoo.md" });
  await place.waitFor();
  await stage.picture("searched-chat");
  await place.click();
  await page.locator(".tab.active", { hasText: "zoo.md" }).waitFor();

  const before = (await model.told()).requests.length;
  await runCommand(page, "Glossator: Generate Contexts for Search…");
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.getByText(/Send \d+ files to claude/).waitFor();
  await stage.picture("searched-cost");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await model.told()).requests.length, before, "nothing was sent");

  await runCommand(page, "Glossator: Generate Contexts for Search…");
  const [, count] = /for (\d+) contexts/.exec(await dialog.getByText(/Send \d+/).textContent());
  const atOnce = Math.min(Number(count), 4); // the others are asked for when one of these is there
  await model.plays(...Array(atOnce).fill(["It counts.", HELD]));
  await dialog.getByRole("button", { name: "Make One by One" }).click();
  const notices = page.locator(".notifications-toasts .notification-list-item");
  const making = notices.filter({ hasText: "generating contexts for Search" });
  await making.waitFor();
  await stage.picture("searched-making");
  await making.getByRole("button", { name: "Cancel" }).click();
  await notices.getByText(/was cancelled\. The contexts that were made are kept/).waitFor();
  await model.parted();

  await runCommand(page, "Glossator: Export Contexts…");
  await notices.getByText("There are no contexts to export yet.").waitFor();

  await quickInput(page, "F1", ">Glossator: Import Contexts…");
  await rows.filter({ hasText: "Import Contexts" }).first().click();
  await rows.filter({ hasText: "shared.jsonl" }).click(); // VS Code's own list of files
  await notices.getByText("1 context was taken in.").waitFor();
}
