// Lines are selected, and explained from the light bulb; a citation leads back to them. Asked again,
// the question has them with it as well.

import assert from "node:assert/strict";
import { PRICES } from "./shop.mjs";

export const files = { "explain.py": PRICES };

export async function story(stage) {
  const { page, model, turn } = stage;
  await model.plays([
    "`gross` should add the tax, but **takes it off** [cite: doc, explain.py, L11-L12].",
  ]);
  await stage.open("explain.py");
  await stage.select(11, 12);
  await stage.clickAt(page.locator(".lightBulbWidget"));
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Explain" }).first();
  await action.waitFor();
  await stage.picture("explain-menu");
  await stage.clickAt(action);
  const citation = turn.locator(".cite.read");
  await citation.waitFor();
  await turn.locator(".chip", { hasText: "explain.py:11-12" }).waitFor();
  await stage.picture("explain-answer");
  assert.match(await asked(model), /return price \* \(1 - VAT\)/);
  await page.keyboard.press("Control+Home");
  await citation.click();
  await stage.at("Ln 11, Col 1");
  await model.plays(["It divides nothing [cite: doc, explain.py, L11]."]);
  await turn.getByRole("button", { name: "Ask again", exact: true }).click();
  await turn.getByText("It divides nothing").waitFor();
  assert.match(await asked(model), /return price \* \(1 - VAT\)/);
}

async function asked(model) {
  const { requests } = await model.told();
  return JSON.stringify(requests.at(-1).messages);
}
