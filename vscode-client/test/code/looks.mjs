// The panel in light, dark and high contrast, narrow and wide: pictures to be looked at, and for the
// client's README.

import assert from "node:assert/strict";

const THEMES = {
  light: ["Light 2026"],
  dark: ["Dark 2026"],
  contrast: ["Dark High Contrast", "Default High Contrast"],
};
const WIDTHS = [240, 480];

export { files, server } from "./recorded.mjs";

export async function story(stage) {
  const { panel, turn } = stage;
  await panel.getByRole("button", { name: "Sessions" }).click();
  await panel.locator(".session", { hasText: "Compare how" }).click();
  await turn.locator(".cite.verified").first().click();
  await stage.at("Ln 40, Col 1");
  for (const [name, theme] of Object.entries(THEMES)) {
    await stage.theme(...theme);
    for (const width of WIDTHS) {
      await stage.widen(width);
      await turn.locator("[data-diagram=drawn]").waitFor();
      assert.ok((await sticksOut(panel)) <= 0, `${name} at ${width} pixels`);
      await stage.picture(`looks-${name}-${width}`);
    }
  }
}

/** How many pixels what is in the panel is wider than it. */
async function sticksOut(panel) {
  return await panel.locator(".transcript").evaluate((box) => box.scrollWidth - box.clientWidth);
}
