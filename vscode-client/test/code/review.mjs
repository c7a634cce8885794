// An edit of three parts is proposed; two are taken. The file holds just these, and Ctrl+Z takes
// them back.

import assert from "node:assert/strict";
import { resultOf } from "./model.mjs";
import { PRICES } from "./shop.mjs";

export const files = { "review.py": PRICES };
export const settings = { "glossator.edits.review": "propose" };

const EDITS = [
  { old_text: "price / (1 - VAT)", new_text: "price / (1 + VAT)" },
  { old_text: "price * (1 - VAT)", new_text: "round(price * (1 + VAT))" },
  { old_text: "print(price)", new_text: "print(round(price, 2))" },
];
const WANTED = PRICES.replace("price / (1 - VAT)", "price / (1 + VAT)").replace(
  "print(price)",
  "print(round(price, 2))",
);
const REASON = "Round only what is shown.";

export async function story(stage) {
  const { model, turn } = stage;
  await model.plays(
    [{ Grep: { pattern: "VAT", output_mode: "content" } }, { Read: { path: "review.py" } }],
    [{ MultiEdit: { path: "review.py", edits: EDITS } }],
    ["The tax is added now [cite: doc, review.py, L7-L8], and what is shown is rounded."],
  );
  await stage.open("review.py");
  await stage.mode("Accept edits");
  await stage.ask("The prices are wrong. Mend them, and round what is shown.");
  await turn.getByRole("button", { name: "Reject part 2" }).click();
  await turn.getByPlaceholder("Say why").fill(REASON);
  assert.equal(await turn.locator(".tool").count(), 2);
  await stage.picture("review-asked");
  await turn.getByText("Accept 2 of 3 parts").click();
  await turn.locator(".cite.read").waitFor();
  const card = turn.locator(".fold.edit");
  await turn.locator(".files .fold-head .size").filter({ hasText: "+2 −2" }).waitFor();
  assert.match(await card.textContent(), /applied in part/);
  await card.locator(".fold-head").click();
  assert.match(await card.locator(".hunk.left-out").textContent(), /left out/);
  await stage.picture("review-taken");
  await stage.shows(WANTED);
  const { requests } = await model.told();
  assert.match(resultOf(requests.at(-1), "MultiEdit"), new RegExp(REASON));
  await stage.save();
  await stage.holds("review.py", WANTED);
  await stage.press("Control+Z");
  await stage.save();
  await stage.shows(PRICES);
  await stage.holds("review.py", PRICES);
  await stage.picture("review-undone");
}
