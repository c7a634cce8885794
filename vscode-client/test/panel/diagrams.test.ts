// Diagrams in answers: drawn in the theme's colours, inert, and their source at hand.

import assert from "node:assert/strict";
import { DIAGRAMS, HOSTILE } from "./harness/diagrams.ts";
import { button, harness, panelTest } from "./harness/opened.ts";
import { NEW, situation } from "./harness/streams.ts";

/** A test of a wide panel, in the usual situation. */
function diagramTest(name: string, act: () => Promise<void>): void {
  const inUse = async () => {
    await harness.tell(situation(), NEW);
    await act();
  };
  panelTest(name, inUse, { width: 500, height: 900, loaded: true });
}

/** An answer with these; `over` ends it. */
async function answer(texts: readonly string[], over = true, runId = "r"): Promise<void> {
  const event = (seq: number, more: object) => ({ runId, seq, ...more });
  const events = [
    event(0, {
      kind: "run.started",
      sessionId: "s",
      question: "Draw it",
      model: "m",
      offline: false,
      attachments: [],
      onlyReads: false,
      plan: "auto",
      beganAt: "",
      shown: "",
    }),
    ...texts.map((text, at) => event(at + 1, { kind: "text.delta", text })),
    ...(over ? [event(texts.length + 1, { kind: "run.finished", stop: "answered" })] : []),
  ];
  await harness.tell({ type: "events", events } as never);
}

function fenced(source: string): string {
  return `\`\`\`mermaid\n${source}\n\`\`\`\n\n`;
}

async function settled(): Promise<void> {
  await harness.page.locator(".code").first().waitFor();
  await harness.page.waitForFunction(() =>
    [...document.querySelectorAll(".code")].every((code) =>
      code.querySelector(".diagram, .diagram-problem"),
    ),
  );
}

diagramTest("diagrams of each kind are drawn, and drawn again in another theme", async () => {
  await harness.page.setViewportSize({ width: 500, height: 4600 });
  await answer(Object.entries(DIAGRAMS).map(([name, source]) => `${name}\n\n${fenced(source)}`));
  await settled();
  const problems = await harness.page.evaluate(() =>
    [...document.querySelectorAll(".diagram-problem")].map((each) => each.textContent),
  );
  assert.deepEqual(problems, []);
  for (const theme of ["dark", "light", "contrast"] as const) {
    const last = harness.page.locator(".diagram").last();
    const before = await last.getAttribute("src");
    await harness.theme(theme);
    if (theme !== "dark") {
      await harness.page.waitForFunction(
        (old) => [...document.querySelectorAll<HTMLImageElement>(".diagram")].at(-1)?.src !== old,
        before,
      );
    }
  }
  assert.deepEqual(await harness.refused(), []);
  assert.deepEqual(harness.problems, []);
});

diagramTest("a picture says what it shows, and its source can be seen and copied", async () => {
  const source = DIAGRAMS["flowchart"] ?? "";
  await answer([fenced(source)]);
  const picture = harness.page.locator(".diagram");
  assert.equal(
    await picture.getAttribute("alt"),
    "How a question is answered. The editor asks the server, which asks the model and reads files.",
  );
  const text = harness.page.locator(".code pre");
  await text.waitFor({ state: "hidden" });
  await button("Show the source").click();
  await text.waitFor();
  await picture.waitFor({ state: "hidden" });
  await button("Copy").click();
  assert.deepEqual(await harness.said("copy"), [{ type: "copy", text: `${source}\n` }]);
  await button("Show the source").press("Enter");
  await picture.waitFor();
});

diagramTest("a picture is enlarged, zoomed and closed by keyboard", async () => {
  await harness.page.setViewportSize({ width: 300, height: 600 });
  const steps = [..."abcdefg"].map((each, at) => `  ${each}[A wide ${each}] --> ${"bcdefgh"[at]}`);
  await answer([fenced(["flowchart LR", ...steps].join("\n")), "So"], false);
  const picture = harness.page.locator(".diagram");
  await picture.waitFor();
  const fitting = await picture.evaluate((element) => element.clientWidth);
  const shown = harness.page.locator(".enlarged img");
  const width = () => shown.evaluate((element) => element.clientWidth);
  const press = (key: string) => harness.page.keyboard.press(key);
  await button("Enlarge").press("Enter");
  const enlarged = await width();
  assert.ok(enlarged > fitting * 2);
  await press("+");
  assert.ok((await width()) > enlarged);
  if (process.env["LOOKS"]) {
    await harness.page.screenshot({ path: "dist/shots/enlarged.png" });
  }
  await press("0");
  assert.ok((await width()) <= 300);
  await button("Larger (+)").click();
  await press("-");
  const name = await harness.page.locator("dialog").getAttribute("aria-label");
  assert.equal(name, await picture.getAttribute("alt"));
  await press("Escape");
  await harness.page.locator("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await harness.said("stop"), [], "Escape closes the picture, and ends no run");
  const focused = () => harness.page.evaluate(() => document.activeElement?.ariaLabel);
  assert.equal(await focused(), "Enlarge");
  await button("Enlarge").click();
  await button("Close (Escape)").click();
  await harness.page.locator("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await harness.refused(), []);
  assert.deepEqual(harness.problems, []);
});

diagramTest("a diagram that is still being written is text", async () => {
  await answer(["```mermaid\nflowchart LR\n  a --> b\n", "  b --> "], false);
  await harness.page.locator(".code pre").waitFor();
  assert.equal(await harness.page.locator("[data-diagram]").count(), 0);
  await answer(["```mermaid\nflowchart LR\n  a --> b\n", "  b --> ", "c\n```\n\nSo"], false);
  await harness.page.locator(".diagram").waitFor();
  assert.deepEqual(harness.problems, []);
});

diagramTest("a broken diagram shows why, and its source", async () => {
  await answer([fenced("flowchart LR\n  a --> --> b")]);
  const problem = harness.page.locator(".diagram-problem");
  assert.match((await problem.textContent()) ?? "", /cannot be drawn.*Parse error on line 2/s);
  await harness.page.locator(".code pre").waitFor();
  assert.deepEqual(harness.problems, []);
});

diagramTest("nothing of Mermaid is loaded before there is a diagram", async () => {
  await answer(["```python\nprint(1)\n```\n"]);
  const chunks = harness.requests.filter((path) => path.startsWith("/chunks/"));
  assert.ok(chunks.length < 5, chunks.join(" "));
});

// What the policy has to stop: a picture by address, and handlers in what Mermaid hands to its
// sanitiser.
const STOPPED = /^(img-src https:\/\/evil\.example\/i\.png|script-src-attr inline)$/;

diagramTest("hostile diagrams do nothing and load nothing", async () => {
  for (const [name, source] of Object.entries(HOSTILE)) {
    await answer([fenced(source)], true, name);
    await settled();
    const found = await harness.page.evaluate(() => ({
      hit: (window as unknown as { hit?: number }).hit ?? null,
      live: [...document.querySelectorAll("svg, iframe, .markdown a, body > style")].length,
      rooms: document.querySelectorAll(".drawing-room").length,
    }));
    assert.deepEqual(found, { hit: null, live: 0, rooms: 0 }, name);
    assert.deepEqual(
      harness.requests.filter((path) => /evil/.test(path)),
      [],
      name,
    );
    assert.deepEqual(
      (await harness.refused()).filter((each) => !STOPPED.test(each)),
      [],
      name,
    );
  }
});
