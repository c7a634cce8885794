// Messages while a run is on: queued, steering, edited, moved, removed, by the keyboard alone.

import assert from "node:assert/strict";
import type { ToPanel } from "../../src/panel/messages.ts";
import { button, CHIP, harness, input, panelTest, shown } from "./harness/opened.ts";
import { permission, situation, stream } from "./harness/streams.ts";

const RUNNING = stream("answered").slice(0, 48);

function queue(held: string, ...questions: string[]): ToPanel {
  const messages = questions.map((question) => {
    const state = question.endsWith("!") ? ("steering" as const) : ("waiting" as const);
    return { id: question, question, chips: [], state };
  });
  return { type: "queue", messages, held };
}

panelTest("while a run is on Enter queues, and Ctrl+Enter steers", async () => {
  await shown(...RUNNING, situation({ selection: CHIP }));
  assert.equal(await input.getAttribute("placeholder"), "Ask next, or tell it now (Ctrl+Enter)");
  await input.fill("And then?");
  await input.press("Enter");
  await input.fill("Not the tests.");
  await input.press("Control+Enter");
  const said = await harness.said("queue");
  assert.deepEqual(
    said.map(({ message, steers }) => [message.question, message.chips, steers]),
    [
      ["And then?", [CHIP], false],
      ["Not the tests.", [CHIP], true],
    ],
  );
  assert.equal(await input.inputValue(), "");
  assert.deepEqual(await harness.said("ask"), []);
  await input.fill("By the mouse.");
  await button("Tell it now, with its next results (Ctrl+Enter)").click();
  assert.equal((await harness.said("queue")).at(-1)?.steers, true);
});

panelTest("Ctrl+Enter without a run asks", async () => {
  await shown();
  await input.fill("What is it?");
  await input.press("Control+Enter");
  assert.equal((await harness.said("ask")).length, 1);
});

panelTest("each message has its buttons, and says its state", async () => {
  await shown(...RUNNING, queue("", "one", "two", "now!"));
  assert.equal(await harness.page.locator(".queue li").count(), 3);
  const up = button("Move up: one");
  assert.deepEqual(
    [await up.getAttribute("disabled"), await up.getAttribute("aria-disabled")],
    [null, "true"],
  );
  await up.press("Enter");
  assert.deepEqual(await harness.said("queued"), []);
  for (const name of ["Move down: one", "Remove: one", "Tell it now: two", "Take back: now!"]) {
    await button(name).press("Enter");
  }
  assert.deepEqual(
    (await harness.said("queued")).map(({ id, act }) => `${act} ${id}`),
    ["down one", "remove one", "send two", "takeBack now!"],
  );
  const told = await harness.page.locator(".panel > [aria-live=polite]").textContent();
  assert.equal(told, "1 message goes to the model now. 2 messages wait.");
});

panelTest("the focus stays on the button of a message that moves", async () => {
  await shown(...RUNNING, queue("", "one", "two", "three"));
  await button("Move down: one").press("Enter");
  await harness.tell(queue("", "two", "one", "three"));
  const focused = await harness.page.evaluate(() =>
    document.activeElement?.getAttribute("aria-label"),
  );
  assert.equal(focused, "Move down: one");
});

panelTest(
  "a message that moves to the top keeps the focus, one that is removed gives it on",
  async () => {
    await shown(...RUNNING, queue("", "one", "two"));
    const focused = async () =>
      await harness.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await button("Move up: two").press("Enter");
    await harness.tell(queue("", "two", "one"));
    assert.equal(await focused(), "Move up: two");
    await button("Remove: two").press("Enter");
    await harness.tell(queue("", "one"));
    assert.equal(await focused(), "Remove: one");
    await button("Remove: one").press("Enter");
    await harness.tell(queue(""));
    assert.equal(await input.evaluate((it) => it === document.activeElement), true);
  },
);

panelTest("an edit is kept by Enter, and left by Escape, which does not stop the run", async () => {
  await shown(...RUNNING);
  const editing: ToPanel = {
    type: "queue",
    messages: [{ id: "1", question: "one", chips: [], state: "editing" }],
    held: "",
  };
  await harness.tell(queue("", "1"));
  await button("Edit: 1").press("Enter");
  await harness.tell(editing);
  await harness.page.keyboard.type(" more");
  await harness.page.keyboard.press("Enter");
  await harness.tell(queue("", "1"));
  await harness.tell(editing);
  await harness.page.keyboard.type(" less");
  await harness.page.keyboard.press("Escape");
  assert.deepEqual(
    (await harness.said("requeued")).map(({ question }) => question),
    ["one more", null],
  );
  assert.deepEqual(await harness.said("stop"), []);
});

panelTest("an edit goes on where it was after the panel was hidden", async () => {
  const editing: ToPanel = {
    type: "queue",
    messages: [{ id: "1", question: "one", chips: [], state: "editing" }],
    held: "",
  };
  await shown(...RUNNING, editing);
  await harness.page.keyboard.type(" more");
  await harness.page.reload(); // as VS Code does with a view that was hidden
  await shown(...RUNNING, editing);
  await harness.page.keyboard.type("!");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(
    (await harness.said("requeued")).map(({ question }) => question),
    ["one more!"],
  );
});

panelTest("a queue that waits for the user says why, and goes on by a button", async () => {
  await shown(...stream("answered"), queue("The run was stopped.", "one"));
  const list = harness.page.getByRole("region", { name: "Waiting messages" });
  assert.match((await list.textContent()) ?? "", /Not sent yet. The run was stopped./);
  await button("Send now: one").waitFor();
  await harness.page.getByRole("button", { name: "Send it" }).press("Enter");
  assert.equal((await harness.said("sendQueued")).length, 1);
});

panelTest("it says so too while another run is on", async () => {
  await shown(...RUNNING, queue("The run was stopped.", "one"));
  const list = harness.page.getByRole("region", { name: "Waiting messages" });
  assert.match((await list.textContent()) ?? "", /Not sent yet. The run was stopped./);
  const told = await harness.page.locator(".panel > [aria-live=polite]").textContent();
  assert.equal(told, "1 message waits. Not sent yet. The run was stopped.");
});

panelTest("what the model was told stands in its place", async () => {
  await shown(...RUNNING);
  const events = RUNNING.flatMap((each) => (each.type === "events" ? each.events : []));
  const last = events.at(-1);
  assert.ok(last);
  await harness.tell({
    type: "events",
    events: [
      { runId: last.runId, seq: last.seq + 1, kind: "steered", text: "Shorter.", attachments: [] },
    ],
  });
  const said = harness.page.locator(".answer .said");
  assert.match((await said.textContent()) ?? "", /You said meanwhile\s*Shorter\./);
  const heard = harness.page.locator(".panel > [aria-live=polite]");
  assert.equal(await heard.textContent(), "The model was told: Shorter.");
  await harness.tell(permission("p", "make"), queue("", "one"));
  assert.equal(await heard.textContent(), "Permission needed: Run this command?");
});
