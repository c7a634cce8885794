// A session with 1,000 messages is resumed and scrolled through: only turns near the view are drawn.

import assert from "node:assert/strict";

const MOST_DRAWN = 20;
const WHEELS = 25;
const WHEEL = 1500; // pixels

export const server = "tests.vscode.recorded";

export async function story(stage) {
  const { page, panel } = stage;
  await panel.getByRole("button", { name: "Sessions" }).click();
  await panel.locator(".session", { hasText: "A thousand messages" }).click();
  await panel.getByText("Question 500").waitFor();
  await stage.picture("long-end");
  await panel.locator(".transcript").hover();
  await panel.locator("body").evaluate(watch);
  for (let wheel = 0; wheel < WHEELS; wheel++) {
    await page.mouse.wheel(0, -WHEEL);
    await panel.locator("body").evaluate(() => new Promise(requestAnimationFrame));
  }
  const { drawn, frames, longest } = await panel.locator("body").evaluate(() => window.watched());
  process.stdout.write(
    `${frames} frames, the longest ${longest} ms; ${drawn} turns drawn at most\n`,
  );
  assert.ok(frames > WHEELS, `${frames} frames`);
  assert.ok(drawn > 0 && drawn <= MOST_DRAWN, `${drawn} turns drawn at once`);
  await stage.picture("long-amid");
  await panel.getByRole("button", { name: "To the end of the conversation" }).click();
  await panel.getByText("Question 500").waitFor();
}

/** Count frames, and the turns that are drawn in each. */
function watch() {
  let [drawn, frames, longest, last] = [0, 0, 0, performance.now()];
  const frame = (now) => {
    const turns = [...document.querySelectorAll(".turn")];
    drawn = Math.max(drawn, turns.filter((turn) => turn.childElementCount > 0).length);
    longest = Math.max(longest, now - last);
    last = now;
    frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.watched = () => ({ drawn, frames, longest: Math.round(longest) });
}
