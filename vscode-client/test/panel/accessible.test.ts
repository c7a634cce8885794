// Each state of the panel for those who use a keyboard, a screen reader or large type: axe finds
// nothing in any theme, nothing sticks out, is refused, or is cut off in narrow or zoomed windows,
// and what has the focus is seen to have it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { AxeResults, RunOptions } from "axe-core";
import { THEMES } from "./harness/browser.ts";
import { harness, panelTest } from "./harness/opened.ts";
import { heightOf, put, STATES } from "./harness/states.ts";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf-8");
const COLOURS = ["color-contrast", "link-in-text-block"]; // all that a theme may break

const WIDTHS = [300, 500];

/** A side bar as narrow as it goes, a window at a zoom of 200 %, and one that is all panel. */
const SIZES = {
  narrow: { width: 250, height: 700 },
  zoomed: { width: 250, height: 350 },
  wide: { width: 1400, height: 900 },
};

for (const [name, state] of Object.entries(STATES)) {
  panelTest(`for everybody: ${name}`, async () => {
    const found: string[] = [];
    await put(harness, state, 240);
    found.push(...(await sticksOut()).map((each) => `240: sticks out ${each}`));
    for (const width of WIDTHS) {
      await harness.page.setViewportSize({ width, height: heightOf(state) });
      found.push(...(await sticksOut()).map((each) => `${width}: sticks out ${each}`));
      await pictures(`${name}-${width}`);
    }
    await harness.page.setViewportSize({ width: 400, height: heightOf(state) });
    found.push(...(await harness.refused()), ...harness.problems);
    if (!(await harness.page.evaluate(() => "axe" in window))) {
      await harness.page.evaluate(AXE);
    }
    for (const [at, theme] of THEMES.entries()) {
      await harness.theme(theme);
      const all = await violations(at === 0 ? undefined : COLOURS);
      found.push(...all.map((each) => `${theme}: ${each}`));
    }
    for (const [size, { width, height }] of Object.entries(SIZES)) {
      await harness.page.setViewportSize({ width, height });
      found.push(...(await cutOff()).map((each) => `${size}: cut off ${each}`));
    }
    found.push(...(await withoutRing()).map((each) => `no ring: ${each}`));
    assert.deepEqual(found, []);
  });
}

/** With LOOKS in the environment the state is left in dist/shots in each theme, to be looked at. */
async function pictures(name: string): Promise<void> {
  for (const theme of process.env["LOOKS"] ? [...THEMES, "solarized-light" as const] : []) {
    await harness.theme(theme);
    await harness.page.screenshot({ path: `dist/shots/${name}-${theme}.png` });
  }
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

/** What axe finds by all its rules, or by these. */
async function violations(rules: readonly string[] | undefined): Promise<string[]> {
  const { violations } = await harness.page.evaluate(
    async (runOnly) => {
      const { axe } = window as unknown as {
        axe: { run(options: RunOptions): Promise<AxeResults> };
      };
      const lean: RunOptions = { resultTypes: ["violations"], selectors: false, preload: false };
      return await axe.run({ ...lean, ...(runOnly && { runOnly }) });
    },
    rules && [...rules],
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** What can have the focus, and looks with it as it does without. */
async function withoutRing(): Promise<string[]> {
  await harness.page.keyboard.press("Tab"); // from now on rings are drawn
  return await harness.page.evaluate(() => {
    const active = document.activeElement;
    const looks = (element: Element): string => {
      const styled = [element, element.shadowRoot?.querySelector(".base, .icon") ?? element];
      const boxed = element.closest(".input-box");
      return JSON.stringify(
        [...styled, ...(boxed ? [boxed] : [])].map((each) => {
          const { outlineStyle, outlineWidth, outlineColor, borderColor } = getComputedStyle(each);
          const isDrawn = outlineStyle !== "none" && outlineWidth !== "0px";
          return [isDrawn ? `${outlineStyle} ${outlineColor}` : "", borderColor];
        }),
      );
    };
    const ringless: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(
      "button, a[href], input, textarea, [tabindex], vscode-checkbox",
    )) {
      document.body.focus();
      (document.activeElement as HTMLElement | null)?.blur();
      const before = looks(element);
      element.focus();
      if (document.activeElement === element && looks(element) === before) {
        ringless.push(element.outerHTML.slice(0, 200));
      }
    }
    (active as HTMLElement | null)?.focus();
    return ringless;
  });
}

/** What is wider than the window, and controls that cannot be seen whole by scrolling to them. */
async function cutOff(): Promise<string[]> {
  return await harness.page.evaluate(() => {
    const page = document.scrollingElement ?? document.body;
    const wide = page.scrollWidth > page.clientWidth ? [`the page: ${page.scrollWidth}`] : [];
    const whole = (control: Element, [start, end, overflow]: (typeof AXES)[number]): boolean => {
      let seen = control.getBoundingClientRect();
      for (let at = control.parentElement; at; at = at.parentElement) {
        const how = getComputedStyle(at)[overflow];
        const around = at.getBoundingClientRect();
        const fits = seen[start] >= around[start] - 1 && seen[end] <= around[end] + 1;
        if (how === "hidden" && !fits) {
          return false;
        }
        seen = how === "visible" ? seen : around; // it is scrolled to there
      }
      return true;
    };
    const AXES = [
      ["left", "right", "overflowX"],
      ["top", "bottom", "overflowY"],
    ] as const;
    const controls = [
      ...document.querySelectorAll(
        "button, a[href], input, textarea, vscode-button, vscode-checkbox",
      ),
    ].filter((each) => each.checkVisibility() && !each.closest("[inert]"));
    return [
      ...wide,
      ...controls
        .filter((each) => !AXES.every((axis) => whole(each, axis)))
        .map((each) => each.outerHTML.slice(0, 200)),
    ];
  });
}
