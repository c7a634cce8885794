// A plan is asked for, changed in words, and started: the mode follows, and the edit is made.

import assert from "node:assert/strict";
import { PRICES } from "./shop.mjs";

export const files = { "planned.py": PRICES };
export const settings = { "glossator.edits.review": "propose" };

const CHANGE = "Leave gross as it is.";
const OLD = "price / (1 - VAT)";
const NEW = "price / (1 + VAT)";

export async function story(stage) {
  const { model, panel, turn } = stage;
  const card = panel.locator(".plan-card");
  await model.plays(
    [{ Read: { path: "planned.py" } }],
    ["It subtracts the tax.\n\n## Plan\n\n1. Add the tax in `net` and `gross`."],
    ["Then only one place changes.\n\n## Plan\n\n1. Add the tax in `net`."],
    [{ Edit: { path: "planned.py", old_text: OLD, new_text: NEW } }],
    ["The tax is added now."],
  );
  await stage.open("planned.py");
  await stage.mode("Ask");
  await stage.ask("/plan The prices are wrong. Mend them.");
  await card.locator("input").fill(CHANGE);
  await card.locator("input").press("Enter");
  await turn.getByText("Then only one place").waitFor();
  await card.getByText("Start in Accept edits").waitFor();
  await stage.picture("planned-asked");
  await panel.getByRole("button", { name: "Mode: Plan" }).waitFor();
  await card.getByText("Start in Accept edits").click();
  await panel.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  await turn.locator("vscode-button", { hasText: "Accept" }).click();
  await turn.getByText("The tax is added now").waitFor();
  await stage.shows(PRICES.replace(OLD, NEW));
  assert.equal(await card.count(), 0);
  await stage.picture("planned-started");
  const { requests } = await model.told();
  const last = requests.at(-1).messages.filter(({ role }) => role === "user");
  const said = JSON.stringify(last);
  assert.ok(!said.includes("/plan"));
  for (const words of ["Mode: plan.", CHANGE, "Mode: acceptEdits.", "I accept the plan."]) {
    assert.equal(said.split(words).length, 2, words);
  }
  await stage.save();
}
