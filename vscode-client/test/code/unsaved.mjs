// What was typed and not saved is found, and cited with its lines of now.

import assert from "node:assert/strict";
import { runCommand } from "./gestures.mjs";
import { resultOf } from "./model.mjs";

const SAVED = "TIMEOUT = 10\n";

export const files = { "unsaved.py": SAVED };

export async function story(stage) {
  const { model, turn, page } = stage;
  await model.plays(
    [{ Grep: { pattern: "RETRIES|TIMEOUT", output_mode: "content", path: "unsaved.py" } }],
    ["There are two tries [cite: doc, unsaved.py, L1]."],
  );
  await stage.open("unsaved.py");
  await stage.press("Control+Home");
  await page.keyboard.type("RETRIES = 2\n");
  await stage.ask("How many tries are there?");
  const citation = turn.locator(".cite.read");
  await citation.waitFor();
  await citation.click();
  await stage.at("Ln 1, Col 1");
  await stage.picture("unsaved-answer");
  const { requests } = await model.told();
  const found = resultOf(requests.at(-1), "Grep");
  assert.match(found, /^unsaved\.py\n1:RETRIES = 2\n2:TIMEOUT = 10$/m);
  assert.equal(stage.onDisk("unsaved.py"), SAVED);
  await stage.press("Control+Home");
  await runCommand(page, "File: Revert File");
  await stage.shows(SAVED);
}
