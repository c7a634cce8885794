// Usage is explored from the light bulb: a card of the sub-agent, a report with a diagram and links.
// The report is kept: hovers show it, it opens as a document, and is stale once a cited line changed.

import assert from "node:assert/strict";
import { quickInput, runCommand } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = {
  "gloss.py": PRICES,
  "till.py": "from gloss import gross\n\n\ndef pay(price):\n    print(gross(price))\n",
};

const REPORT = `- \`gross\` is what a customer pays; the till relies on it. [cite: doc, gloss.py, L10-L11]
- \`pay\` prints it. [cite: doc, till.py, L4-L5]

\`\`\`mermaid
flowchart LR
    pay["till.pay"] --> gross["gloss.gross"]
\`\`\`

The arrow is a call. [cite: doc, till.py, L5]`;

export async function story(stage) {
  const { page, model, turn } = stage;
  await model.plays([{ Read: { path: "gloss.py" } }, { Read: { path: "till.py" } }], [REPORT]);
  await stage.open("gloss.py");
  await stage.select(10, 11);
  await stage.clickAt(page.locator(".lightBulbWidget"));
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Explore usage" });
  await stage.clickAt(action.first());
  await turn.locator(".cite.read").first().waitFor();
  await turn.locator(".diagram").first().waitFor();
  await stage.picture("gloss-explored");
  await hover(stage, "Gloss, fresh");
  await stage.picture("gloss-hover");
  await page.locator(".monaco-hover a", { hasText: "Whole gloss" }).first().click();
  await page.locator(".tab", { hasText: "Preview" }).first().waitFor();
  await page.locator("iframe.webview.ready").nth(1).waitFor();
  const { length } = await page.locator("iframe.webview.ready").all();
  const preview = page
    .frameLocator("iframe.webview.ready")
    .nth(length - 1)
    .frameLocator("iframe#active-frame");
  await preview.getByRole("link", { name: "till.py:4-5" }).waitFor();
  await preview.locator(".mermaid svg").first().waitFor();
  await preview.getByRole("heading", { name: "Searched" }).click(); // the hover was in front
  await page.locator(".monaco-hover:visible").waitFor({ state: "hidden" });
  await stage.picture("gloss-document");
  await preview.getByRole("link", { name: "till.py:4-5" }).click();
  await stage.at("Ln 5, Col 1 (16 selected)");
  await runCommand(page, "View: Close All Editors");
  await stage.open("gloss.py");
  await stage.goTo(11);
  await page.keyboard.press("End");
  await page.keyboard.type("  # no");
  await hover(stage, "stale: 1 cited line changed");
  await stage.picture("gloss-stale");
  await runCommand(page, "File: Revert File");
  await exploreFar(stage);
}

/** A question of one's own is explored, as far as one likes. */
async function exploreFar(stage) {
  const { page, model, turn } = stage;
  await model.plays(
    [{ Read: { path: "till.py" } }],
    ["- The till does. [cite: doc, till.py, L4-L5]"],
  );
  const row = page.locator(".quick-input-list .monaco-list-row");
  await quickInput(page, "F1", ">Glossator: Explore…");
  await row.filter({ hasText: "Glossator: Explore…" }).first().click();
  await page.getByPlaceholder("Where is a cancelled request heard").fill("Who pays what?");
  await stage.picture("explore-how-far");
  await row.filter({ hasText: "Very thorough" }).click();
  await turn.filter({ hasText: "Who pays what?" }).locator(".cite.read").first().waitFor();
  const { requests } = await model.told();
  const asked = JSON.stringify(requests.at(-1));
  assert.match(asked, /Who pays what\?/);
  assert.match(asked, /Be very thorough/);
}

/** Show the hover of `gross` until it says this. */
async function hover(stage, words) {
  const { page } = stage;
  const said = page.locator(".monaco-hover:visible", { hasText: words }).first();
  for (let tries = 1; ; tries++) {
    await stage.goTo(10);
    for (let column = 0; column < 5; column++) {
      await page.keyboard.press("ArrowRight");
    }
    await runCommand(page, "Show or Focus Hover");
    try {
      await said.waitFor({ timeout: 3000 });
      return;
    } catch (error) {
      if (tries === 5) {
        throw error;
      }
    }
  }
}
