// For the tests of a file: one browser, and the panel opened afresh before each.

import { after, before, beforeEach } from "node:test";
import type { Chip, ToPanel } from "../../../src/panel/messages.ts";
import { Harness, type Locator, NO_BROWSER } from "./browser.ts";
import { NEW, situation } from "./streams.ts";

/** What `test` takes: they are skipped where there is no browser. */
export const skip = { skip: NO_BROWSER };

/** A line of a file, as a chip. */
export const CHIP: Chip = {
  label: "a.py:3",
  attachment: { uri: "file:///w/a.py", firstLine: 3, lastLine: 3 },
};

/** The panel, once a test has begun, and the field for questions in it. */
export let harness: Harness;
export let input: Locator;

/** Have it opened before each test of this file. */
export function openBeforeEach(): void {
  before(async () => {
    if (!NO_BROWSER) {
      harness = await Harness.begin();
    }
  });
  beforeEach(async () => {
    if (!NO_BROWSER) {
      await harness.open();
      input = harness.page.locator("textarea");
    }
  });
  after(async () => await harness?.close());
}

/** In the usual situation, the panel is told these. */
export async function shown(...messages: readonly ToPanel[]): Promise<void> {
  await harness.tell(situation(), NEW, ...messages);
  await answerable();
}

/** The button that is called just so. */
export function button(name: string): Locator {
  return harness.page.getByRole("button", { name, exact: true });
}

/** Wait until cards can be answered: not in the moment in which they appear. */
export async function answerable(): Promise<void> {
  await harness.page.waitForFunction(() => !document.querySelector("[inert]"));
}
