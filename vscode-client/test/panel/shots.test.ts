// The main states in three themes and narrow and wide: nothing sticks out, nothing is refused. The
// pictures are left in dist/shots for people to look at: with LOOKS=all each state in each theme and
// width, otherwise a choice of them.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { Harness, NO_BROWSER } from "./harness/browser.ts";
import { heightOf, put, STATES } from "./harness/states.ts";

const SHOTS = "dist/shots";
const THEMES = ["dark", "light", "contrast"] as const;
const ALL = process.env["LOOKS"] === "all";
const WIDTHS = [
  { width: 300, themes: ALL ? THEMES : (["dark", "contrast"] as const) },
  { width: 500, themes: ALL ? THEMES : (["dark", "light"] as const) },
];

let harness: Harness;
before(async () => {
  if (!NO_BROWSER) {
    harness = await Harness.begin();
    mkdirSync(SHOTS, { recursive: true });
  }
});
after(async () => await harness?.close());

for (const [name, state] of Object.entries(STATES)) {
  test(`looks: ${name}`, { skip: NO_BROWSER }, async () => {
    await put(harness, state, 240);
    assert.deepEqual(await sticksOut(), [], `${name} 240`);
    for (const { width, themes } of WIDTHS) {
      await harness.page.setViewportSize({ width, height: heightOf(state) });
      assert.deepEqual(await sticksOut(), [], `${name} ${width}`);
      for (const theme of themes) {
        await harness.theme(theme);
        await harness.page.screenshot({ path: `${SHOTS}/${name}-${theme}-${width}.png` });
      }
    }
    assert.deepEqual(await harness.refused(), []);
    assert.deepEqual(harness.problems, []);
  });
}

/** Elements that reach over the right edge, unless a box of their own scrolls or cuts them. */
async function sticksOut(): Promise<string[]> {
  return await harness.page.evaluate(() => {
    const cut = (element: Element): boolean => {
      const parent = element.parentElement;
      return (
        parent !== null &&
        !element.matches(".panel") &&
        ((getComputedStyle(parent).overflowX !== "visible" && !parent.matches(".transcript")) ||
          cut(parent))
      );
    };
    return [...document.querySelectorAll(".panel *")]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => !(element.matches(".unseen") || cut(element)))
      .map((element) => element.className.toString() || element.tagName);
  });
}
