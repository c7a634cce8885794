// Tests of the panel: one browser and one page for all of them, and the panel opened afresh for each.

import { after, test } from "node:test";
import type { Chip, ToPanel } from "../../../src/panel/messages.ts";
import { Harness, type Locator, NO_BROWSER, type Opening } from "./browser.ts";
import { NEW, situation } from "./streams.ts";

/** A line of a file, as a chip. */
export const CHIP: Chip = {
  label: "a.py:3",
  attachment: { uri: "file:///w/a.py", firstLine: 3, lastLine: 3 },
};

/** The panel, once a test has begun, and the field for questions in it. */
export let harness: Harness;
export let input: Locator;

/** A test of the panel in a page; skipped where there is no browser. */
export function panelTest(name: string, act: () => Promise<void>, opening: Opening = {}): void {
  test(name, { skip: NO_BROWSER }, async () => {
    harness ??= await Harness.begin();
    input = harness.page.locator("textarea");
    await harness.open(opening);
    await act();
  });
}

after(async () => await harness?.close()); // of all files: they run in one process

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
