// Search: the list shows hits while one types, the editor the one that one moves to; Escape brings
// back what was open, Enter opens. In the chat, what Search found opens at its lines. What contexts
// cost is asked about, and without a yes nothing is sent.

import assert from "node:assert/strict";
import { quickInput, runCommand } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

const KEY = "Control+Alt+Shift+G";
const HERD = `${"# far down\n".repeat(60)}

def zebra_stripes(count):
    """How many stripes a herd of zebras has."""
    return count * 26
`;
const NOTES = "# The zoo\n\nZebra stripes are counted by herd.\n";

export const files = { "herd.py": HERD, "zoo.md": NOTES, "prices.py": PRICES };

export async function story(stage) {
  const { page, model, turn } = stage;
  const box = page.locator(".quick-input-widget:visible");
  const rows = box.locator(".monaco-list-row");
  await stage.open("prices.py");
  await quickInput(page, KEY);
  await page.keyboard.type("zebra stripes");
  await rows.nth(1).waitFor();
  assert.match(await rows.first().textContent(), /herd\.py:\d+-65.*zebra_stripes/s);
  await page.keyboard.press("ArrowDown");
  await page.locator(".tab.active", { hasText: "zoo.md" }).waitFor();
  await stage.picture("searched-list");
  await page.keyboard.press("ArrowUp");
  await page.locator(".tab.active", { hasText: "herd.py" }).waitFor();
  await page.locator(".editor-instance", { hasText: "zebra_stripes(count)" }).waitFor();
  await stage.picture("searched-preview");
  await page.keyboard.press("Escape");
  await page.locator(".tab.active", { hasText: "prices.py" }).waitFor();
  await page.locator(".tab", { hasText: "herd.py" }).waitFor({ state: "detached" });

  await quickInput(page, KEY);
  await page.keyboard.type("zebra stripes");
  await rows.nth(1).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tab.active", { hasText: "herd.py" }).waitFor();
  await stage.at("Ln 63, Col 1");

  await model.plays([{ Search: { query: "zebra stripes" } }], ["A herd has 26 for each."]);
  await stage.ask("How many stripes?");
  await turn.getByText("A herd has 26 for each.").waitFor();
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
}
