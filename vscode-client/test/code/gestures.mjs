// What a user does in VS Code's window, for which it has no API.

import assert from "node:assert/strict";

const STOPS = 80; // of Tab, until all of the panel has had the focus

/** Run a command of the palette by its title. */
export async function runCommand(page, title) {
  await pick(page, "F1", `>${title}`, title);
}

/** Press a key until something in the panel has the focus. */
export async function tabTo(page, wanted, key) {
  await wanted.waitFor();
  const isThere = () => wanted.evaluate((element) => element === document.activeElement);
  for (let stops = 0; !(await isThere()); stops++) {
    assert.ok(stops < STOPS, `${key} never reached ${wanted}`);
    await page.keyboard.press(key);
  }
}

/** Open VS Code's quick input by its key, type, and take the first row that has these words. */
export async function pick(page, key, typed, words) {
  const widget = page.locator(".quick-input-widget");
  await quickInput(page, key, typed);
  await widget.locator(".monaco-list-row", { hasText: words }).first().click();
  await widget.waitFor({ state: "hidden" });
}

/**
 * Open VS Code's quick input by its key, and type. A key is lost where nothing has the focus yet, such
 * as a webview that is being loaded; and the input closes if a command before gives the focus away.
 */
export async function quickInput(page, key, typed) {
  const input = page.locator(".quick-input-widget:visible input").first();
  await input.waitFor({ state: "hidden" });
  await again(async (timeout, tries) => {
    if (tries > 1) {
      await page.evaluate(() => document.activeElement?.blur()); // a webview that went kept it
    }
    await page.keyboard.press(key);
    await input.waitFor({ timeout });
    if (typed !== undefined) {
      await input.fill(typed, { timeout });
    }
  });
  return input;
}

/** Try something a few times: `act(timeout in milliseconds, which try it is)`. */
export async function again(act) {
  for (let tries = 1; ; tries++) {
    try {
      return await act(2000, tries);
    } catch (error) {
      if (tries === 5) {
        throw error;
      }
    }
  }
}

/** Click until something is seen: a click is lost on a row that a refresh of a list replaces just then. */
export async function until(seen, click) {
  await again(async () => {
    if (!(await seen.isVisible())) {
      await click();
      await seen.waitFor({ timeout: 15_000 });
    }
  });
}

const OURS = "extensionId=glossator.glossator"; // the cells of a notebook are in a webview, too

/** The content of our webview that is shown; it lies two frames deep. */
export function webview(page) {
  return page
    .frameLocator(`iframe.webview.ready[src*="${OURS}"]`)
    .frameLocator("iframe#active-frame");
}

const KEPT_AFTER = 6_000;

/** Load the window anew, once what it keeps is kept: a browser's VS Code does that every 5 seconds. */
export async function reload(page) {
  await page.waitForTimeout(KEPT_AFTER);
  await page.reload();
}
