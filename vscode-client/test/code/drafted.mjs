// A plan is changed in an editor and sent back with words, changed again and started there; its steps
// are ticked off while it is carried out.

import assert from "node:assert/strict";
import { again } from "./gestures.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "drafted.py": PRICES };
export const settings = { "glossator.edits.review": "propose" };

const NET = "price / (1 - VAT)";
const MENDED = "price / (1 + VAT)";
const STEP = "Add the tax in net.";
const FIRST = "Ask the authors.";
const WORDS = "Who are they?";
const OWN = "Say what changed.";
const PLAN = "It subtracts the tax.\n\n## Plan\n\n1. Add the tax in `net`.\n2. Test it.";

export async function story(stage) {
  const { model, page, panel, turn } = stage;
  const card = panel.locator(".plan-card");
  await model.plays(
    [{ Read: { path: "drafted.py" } }],
    [PLAN],
    [`Nobody knows. ${PLAN}`],
    [
      {
        Todo: {
          steps: [
            { text: STEP, state: "done" },
            { text: OWN, state: "active" },
          ],
        },
      },
      { Edit: { path: "drafted.py", old_text: NET, new_text: MENDED } },
    ],
    ["The tax is added now."],
  );
  await stage.open("drafted.py");
  await stage.ask("/plan The price without tax is wrong.");
  const lens = page.locator(".codelens-decoration a", { hasText: "Start in Accept edits" });
  const change = async (step) => {
    await card.getByRole("button", { name: "Edit the plan" }).click();
    await lens.waitFor();
    // The last step is another one. The lens may be that of the change before: then keys are lost.
    await again(async (timeout) => {
      await page.keyboard.press("Control+End");
      await page.keyboard.press("Shift+Home");
      await page.keyboard.type(`2. ${step}`);
      await page.locator(".view-lines", { hasText: step }).first().waitFor({ timeout });
    });
  };
  const said = async () => JSON.stringify((await model.told()).requests.at(-1).messages);
  await change(FIRST);
  await card.locator("input").fill(WORDS);
  await card.locator("input").press("Enter");
  await turn.getByText("Nobody knows.").waitFor();
  for (const words of [FIRST, WORDS]) {
    assert.ok((await said()).includes(words), words);
  }
  await change(OWN);
  await stage.picture("drafted-changed");
  await lens.click();
  await turn.locator("vscode-button", { hasText: "Accept" }).waitFor();
  await page.locator(".tab", { hasText: "Plan.md" }).click(); // the proposed edit is in front of it
  for (const sign of ["✓", "→"]) {
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll(".view-lines span")].some((each) =>
          getComputedStyle(each, "::before").content.includes(wanted),
        ),
      sign,
    );
  }
  assert.equal(await lens.count(), 0);
  await stage.picture("drafted-ticked");
  await turn.locator("vscode-button", { hasText: "Accept" }).click();
  await turn.getByText("The tax is added now").waitFor();
  for (const words of ["I accept the plan as I changed it", OWN]) {
    assert.ok((await said()).includes(words), words);
  }
  await stage.open("drafted.py");
  await stage.save();
}
