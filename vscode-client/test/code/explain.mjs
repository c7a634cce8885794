// Lines are selected, and explained from the light bulb; a citation leads back to them.

import assert from "node:assert/strict";
import { PRICES } from "./shop.mjs";

export const files = { "explain.py": PRICES };

export async function story(stage) {
  const { page, model } = stage;
  await model.plays([
    "`gross` should add the tax, but **takes it off** [cite: doc, explain.py, L11-L12].",
  ]);
  await stage.open("explain.py");
  await stage.select(11, 12);
  await page.locator(".lightBulbWidget").click();
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Explain" }).first();
  await action.waitFor();
  await stage.picture("explain-menu");
  await action.click();
  const citation = stage.turn.locator(".cite.verified");
  await citation.waitFor();
  await stage.picture("explain-answer");
  const [request] = (await model.told()).requests.slice(-1);
  assert.match(JSON.stringify(request.messages), /return price \* \(1 - VAT\)/);
  await page.keyboard.press("Control+Home");
  await citation.click();
  await stage.at("Ln 11, Col 1");
}
