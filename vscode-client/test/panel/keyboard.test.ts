// The panel by keyboard alone: Tab goes through it from top to bottom and reaches all that can be
// pressed, and what closes or is answered gives the focus back.

import assert from "node:assert/strict";
import type { ToPanel } from "../../src/panel/messages.ts";
import { answerable, button, harness, input, panelTest, shown } from "./harness/opened.ts";
import { put, STATES } from "./harness/states.ts";
import { permission, stream, until } from "./harness/streams.ts";

const PARTS = ["header", "banner", "main", "strips", "queue", "composer"];
const MANY = 200; // stops of Tab; none of the states has as many

const press = async (...keys: readonly string[]) => {
  for (const key of keys) {
    await harness.page.keyboard.press(key);
  }
};
const hasFocus = (element: HTMLElement) => element === document.activeElement;

for (const name of [
  "strips",
  "queued",
  "grounded",
  "outputs open",
  "sessions",
  "waiting elsewhere",
  "going along",
]) {
  panelTest(`Tab goes from the head to the input, and leaves nothing out: ${name}`, async () => {
    const state = STATES[name];
    assert.ok(state);
    await put(harness, state, 400);
    const stops = [await harness.page.evaluate(first)];
    while (stops.at(-1) !== "" && stops.length < MANY) {
      await press("Tab");
      await harness.tell(); // what it scrolled out of sight is seen to be so in the next frame,
      await harness.tell(); // and has a line of its own in the one after
      stops.push(await harness.page.evaluate(reached));
    }
    assert.deepEqual(await harness.page.evaluate(missed), []);
    const parts = stops.filter((part, at) => part !== "" && part !== stops[at - 1]);
    assert.deepEqual(
      parts,
      PARTS.filter((part) => parts.includes(part)),
    );
    assert.ok(parts.includes("header") && parts.includes("composer"), parts.join(" "));
  });
}

/** Give the focus to the first that can have it; the part of the panel that it is in. */
function first(): string {
  const all = [...document.querySelectorAll<HTMLElement>("button, input, textarea")];
  const one = all.find((each) => each.checkVisibility() && !each.matches(":disabled"));
  one?.focus();
  one?.setAttribute("data-reached", "");
  return one?.closest(".header") ? "header" : "";
}

/** The part of the panel with what has the focus now, which is marked; "" if that has left the panel. */
function reached(): string {
  const { activeElement } = document;
  activeElement?.setAttribute("data-reached", "");
  const parts = ".header, .banner, .main, .strips, .queue, .composer";
  return activeElement?.closest(parts)?.className.split(" ")[0] ?? "";
}

/** What can be pressed or written in, and was not reached. */
function missed(): string[] {
  const all = "button, input, textarea, [tabindex='0'], vscode-button, vscode-checkbox";
  return [...document.querySelectorAll<HTMLElement>(all)]
    .filter((each) => each.checkVisibility() && !each.matches(":disabled, [disabled]"))
    .filter((each) => !each.hasAttribute("data-reached"))
    .map((each) => each.outerHTML.slice(0, 200));
}

panelTest(
  "the button to the end stays while it has the focus, and Tab goes on from it",
  async () => {
    const state = STATES["queued"];
    assert.ok(state);
    await put(harness, state, 400);
    const transcript = harness.page.locator(".transcript");
    const toEnd = button("To the end of the conversation");
    await transcript.evaluate((box) => box.scrollTo(0, 0));
    await toEnd.waitFor();
    await toEnd.evaluate((element) => element.focus());
    await transcript.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await harness.page.waitForFunction(() => document.querySelector(".to-end.idle"));
    assert.ok(await toEnd.evaluate((element) => element === document.activeElement));
    await press("Tab");
    assert.equal(await harness.page.evaluate(reached), "strips");
    await toEnd.waitFor({ state: "hidden" });
  },
);

panelTest(
  "from the input back to a card, which is answered; the focus is in the input",
  async () => {
    await shown(permission("p", "make"));
    await input.click();
    await press("Shift+Tab");
    const label = await harness.page.evaluate(() => document.activeElement?.ariaLabel);
    assert.equal(label, "Permission: Run this command?");
    await press("4");
    assert.equal((await harness.said("permissionAnswer"))[0]?.answer.choice, "always");
    assert.equal(await input.evaluate(hasFocus), true);
  },
);

panelTest("Escape leaves the words of a refusal, and the card as it was", async () => {
  await shown(...until("edits", "permission"));
  const why = button("Refuse and say why…");
  await why.press("Enter");
  await harness.page.keyboard.type("No");
  await press("Escape");
  assert.equal(await why.evaluate(hasFocus), true);
  assert.deepEqual(await harness.said("stop"), []);
  assert.deepEqual(await harness.said("permissionAnswer"), []);
});

panelTest("Escape closes a menu, a list of files, the sessions, a title", async () => {
  await shown(...stream("answered"));
  const mode = button("Mode: Ask");
  await mode.press("Enter");
  await press("ArrowDown", "Escape");
  assert.equal(await harness.page.locator("[role=menu]").count(), 0);
  assert.equal(await mode.evaluate(hasFocus), true);

  await button("Sessions").press("Enter");
  await harness.tell({ type: "sessions", words: "", sessions: [] });
  await press("Escape");
  assert.equal(await harness.page.locator(".sessions").count(), 0);
  assert.equal(await input.evaluate(hasFocus), true);

  await harness.page.locator(".title").press("Enter");
  await press("Escape");
  assert.equal(await harness.page.locator(".title").evaluate(hasFocus), true);

  await input.click();
  await harness.page.keyboard.type("@");
  const number = (await harness.said("complete")).at(-1)?.number ?? 0;
  const items = [{ kind: "file", label: "a.py", detail: "", insert: "@a.py" }] as const;
  await harness.tell({ type: "completions", number, items, incomplete: false });
  await press("Escape");
  assert.equal(await harness.page.getByRole("option").count(), 0);
  assert.equal(await input.evaluate(hasFocus), true);
});

panelTest("what goes when it is pressed leaves the focus in the input", async () => {
  await shown();
  const inInput = async () => assert.equal(await input.evaluate(hasFocus), true);
  await harness.page.locator(".examples button").first().press("Enter");
  await inInput();
  const stop = button("Stop (Escape)");
  await stop.press("Enter");
  assert.equal(await stop.evaluate(hasFocus), true); // until it goes with the run
  const [stopped] = await harness.said("stop");
  const runId = stopped?.runId ?? "";
  await harness.tell({
    type: "events",
    events: [{ runId, seq: 0, kind: "run.cancelled", elsewhere: "" }],
  });
  await inInput();
  await shown(...stream("failed"));
  await harness.page.locator("vscode-button", { hasText: "Try again" }).press("Enter");
  await inInput();
  await shown(...stream("answered"));
  await button("Edit the question and ask again").press("Enter");
  await button("Do not edit").press("Enter");
  await inInput();
  await shown(...stream("answered").slice(0, 48), queued("Go on."));
  await button("Edit: Go on.").press("Shift"); // it has the focus, and goes by itself
  await harness.tell({ type: "queue", messages: [], held: "" });
  await inInput();
});

const queued = (question: string): ToPanel => {
  const message = { id: "1", question, chips: [], state: "waiting" } as const;
  return { type: "queue", messages: [message], held: "" };
};

panelTest("a card out of sight is gone to by its strip, and answered by a digit", async () => {
  await shown(...stream("grounded"), permission("p", "make"));
  await harness.page.evaluate(() => document.querySelector(".transcript")?.scrollTo({ top: 0 }));
  const strip = harness.page.locator(".strip.waiting");
  await strip.press("Enter");
  await answerable();
  await press("1");
  assert.equal((await harness.said("permissionAnswer"))[0]?.answer.choice, "once");
  assert.equal(await input.evaluate(hasFocus), true);
});

panelTest("the strip of a card that is answered at once does not get the focus back", async () => {
  await shown(...stream("grounded"), permission("p", "make"));
  await harness.page.evaluate(() => document.querySelector(".transcript")?.scrollTo({ top: 0 }));
  const strip = harness.page.locator(".strip.waiting");
  await strip.waitFor();
  const reached = await strip.evaluate(async (element) => {
    const rendered = async () => {
      for (let times = 0; times < 10; times += 1) {
        await Promise.resolve(); // no frame is drawn meanwhile: the strip is still there
      }
    };
    element.focus();
    element.click();
    await rendered();
    const digit = new KeyboardEvent("keydown", { key: "1", bubbles: true });
    document.activeElement?.dispatchEvent(digit);
    await rendered();
    return document.activeElement?.tagName;
  });
  assert.equal((await harness.said("permissionAnswer"))[0]?.answer.choice, "once");
  assert.equal(reached, "TEXTAREA");
});
