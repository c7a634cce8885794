// What a run's work gives: outputs, changed files, jobs, and what stays in sight above the input.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endsOf, linesIn } from "../../panel/state/ends.ts";
import { EMPTY } from "../../panel/state/model.ts";
import { reduce } from "../../panel/state/reduce.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import type { Event } from "../../src/wire.ts";
import { button, harness, input, panelTest, shown } from "./harness/opened.ts";
import { permission, stream } from "./harness/streams.ts";

const HOSTILE = "test 41 FAILED <b>42</b>\u202e **not bold**\n[run 1] [exit code 1]";

/** Events of a run, numbered. */
function run(...given: readonly object[]): ToPanel {
  const all = given.map((event, seq) => ({ runId: "w", seq, ...event }));
  return { type: "events", events: all as unknown as Event[] };
}

const STARTED = {
  kind: "run.started",
  sessionId: "s1",
  question: "Run the tests.",
  model: "m",
  offline: false,
  attachments: [],
  onlyReads: false,
};
const CALLED = {
  kind: "tool.started",
  callId: "c",
  tool: "Bash",
  arguments: { command: "make test" },
};
const ENDED = {
  kind: "tool.finished",
  callId: "c",
  tool: "Bash",
  summary: "exit code 1",
  error: false,
  unsuccessful: true,
  milliseconds: 1200,
  places: [],
};
const LIVE = { kind: "tool.output", callId: "c", text: "test 40 ok", live: true };
const WHOLE = { kind: "tool.output", callId: "c", text: HOSTILE, live: false };
const STEPS = {
  kind: "todo",
  steps: [
    { text: "Run the tests", state: "done" },
    { text: "Mend the tax", state: "active" },
    { text: "Run them again", state: "pending" },
  ],
};
const CHANGED = {
  kind: "files.changed",
  files: [
    { path: "a.py", uri: "file:///w/a.py", change: "changed", added: 3, removed: 1 },
    { path: "b.bin", uri: "file:///w/b.bin", change: "created", added: null, removed: null },
  ],
  more: 0,
};
const OVER = { kind: "run.finished", stop: "answered" };
const JOB = {
  job: "1",
  command: "npm start",
  beganAt: "2026-01-01T10:00:00Z",
  outcome: "",
  failed: false,
};

test("an output is what a call gave last; one from the record goes to its call", () => {
  const during = reduce(EMPTY, run(STARTED, CALLED, LIVE, ENDED));
  const outputOf = (state: typeof EMPTY) => {
    const [part] = state.turns[0]?.parts ?? [];
    return part?.kind === "tool" ? part.output : undefined;
  };
  assert.deepEqual(outputOf(during), { text: "test 40 ok", live: true, problem: "" });
  const after = reduce(during, { type: "toolOutput", callId: "c", text: "all", problem: "" });
  assert.deepEqual(outputOf(after), { text: "all", live: false, problem: "" });
});

test("of a long text both ends are drawn", () => {
  assert.deepEqual(endsOf("a\nb"), { before: "a\nb", missing: "", after: "" });
  const lines = Array.from({ length: 1500 }, (_, at) => `${at}`);
  const { before, missing, after } = endsOf(lines.join("\n"));
  assert.deepEqual([before.split("\n").length, missing], [501, "500 more lines"]);
  assert.ok(after.endsWith("\n1499"));
  assert.equal(endsOf("x".repeat(200_007)).missing, "7 more characters");
  assert.deepEqual(["", "a", "a\n", "a\nb", "a\n\n"].map(linesIn), [0, 1, 1, 2, 2]);
});

panelTest("a failed command is red; its output is data, and can be copied and opened", async () => {
  await shown(run(STARTED, CALLED, WHOLE, ENDED, OVER));
  const card = harness.page.locator(".tool.failed");
  await card.locator(".fold-head").click();
  const box = card.getByRole("group", { name: "Output of Run" });
  assert.match((await box.textContent()) ?? "", /<b>42<\/b>\\u202e \*\*not bold\*\*/);
  await button("Copy the output").click();
  assert.deepEqual(await harness.said("copy"), [{ type: "copy", text: HOSTILE }]);
  await button("Open the output in an editor").click();
  assert.equal((await harness.said("openOutput")).length, 1);
});

panelTest("an output of an earlier run is asked for when its card is unfolded", async () => {
  await shown(run(STARTED, CALLED, ENDED, OVER));
  assert.deepEqual(await harness.said("toolOutput"), []);
  await harness.page.locator(".tool .fold-head").click();
  const asked = await harness.saidTimes("toolOutput", 1);
  assert.deepEqual(asked, [{ type: "toolOutput", callId: "c" }]);
  await harness.tell({ type: "toolOutput", callId: "c", text: "", problem: "It is not kept." });
  await harness.page.getByText("It is not kept.").waitFor();
  assert.equal((await harness.said("toolOutput")).length, 1);
  await harness.page.locator(".tool .fold-head").click();
  await harness.page.locator(".tool .fold-head").click();
  assert.equal((await harness.saidTimes("toolOutput", 2)).length, 2);
  await harness.tell({ type: "toolOutput", callId: "c", text: "all\n", problem: "" });
  await harness.page.getByText("Output, 1 line").waitFor();
});

panelTest("what a call gave before it was stopped is its last output", async () => {
  const stopped = run(STARTED, CALLED, LIVE, { kind: "run.cancelled", elsewhere: "" });
  await shown(run(STARTED, CALLED, LIVE));
  await harness.page.locator(".tool .fold-head").click();
  await harness.page.getByText("Output so far").waitFor();
  await harness.tell(stopped);
  await harness.page.getByText("Last output").waitFor();
  assert.equal(await harness.page.locator(".tool pre").textContent(), "test 40 ok");
  assert.deepEqual(await harness.said("toolOutput"), []);
});

panelTest("changed files are listed; each has its diff and its undo", async () => {
  await shown(run(STARTED, CHANGED, OVER));
  await harness.page.getByText("2 files changed").waitFor();
  assert.equal(await button("Undo this turn's edits").count(), 0, "the list has it");
  await button("a.py").click();
  assert.deepEqual(await harness.said("openChange"), [
    { type: "openChange", runId: "w", path: "a.py" },
  ]);
  await button("Undo the changes of b.bin").click();
  await button("Undo all of this turn's changes").click();
  assert.deepEqual(await harness.said("undoTurn"), [
    { type: "undoTurn", runId: "w", paths: ["b.bin"] },
    { type: "undoTurn", runId: "w" },
  ]);
});

panelTest("a file that was taken back alone says so, and is brought back", async () => {
  const file = { runId: "w", path: "a.py", by: "u" };
  await shown(run(STARTED, CHANGED, OVER), { type: "filesUndone", files: [file] });
  const row = harness.page.locator(".file-row.undone");
  assert.match((await row.textContent()) ?? "", /a\.py.*undone/);
  assert.equal(await harness.page.locator(".file-row").count(), 2);
  await button("Redo the changes of a.py").click();
  assert.deepEqual(await harness.said("undoTurn"), [{ type: "undoTurn", runId: "u" }]);
  await harness.tell({ type: "filesUndone", files: [] });
  assert.equal(await row.count(), 0);
  assert.equal(await button("Undo the changes of a.py").count(), 1);
});

panelTest("steps and jobs stand above the input while they go on", async () => {
  await shown(run(STARTED, STEPS), { type: "jobs", jobs: [JOB] });
  const strips = harness.page.locator(".strip");
  const region = harness.page.getByRole("region", { name: "In progress" });
  await region.getByText("2 of 3: Mend the tax").waitFor();
  await harness.page.getByText("1 command in the background").click();
  await button("Stop job 1").click();
  assert.deepEqual(await harness.said("stopJob"), [{ type: "stopJob", job: "1" }]);
  await harness.tell({ type: "jobs", jobs: [{ ...JOB, outcome: "exit code 0" }] });
  await harness.tell({ type: "events", events: [{ ...OVER, runId: "w", seq: 9 } as Event] });
  assert.equal(await strips.count(), 0);
});

panelTest(
  "a strip tells the place of what is at work, and what is over, failed or not",
  async () => {
    const [begun, done, failed] = ["active", "done", "failed"] as const;
    const task = { dependencies: [], tools: [], result: "" };
    const steps = [begun, done, done].map((state, n) => ({ text: `Step ${n + 1}`, state }));
    const tasks = [done, failed].map((state, n) => ({
      ...task,
      id: String(n + 1),
      description: "Look",
      state,
    }));
    await shown(run(STARTED, { kind: "todo", steps }, { kind: "plan", tasks }));
    const strips = harness.page.locator(".strips");
    await strips.getByText("1 of 3: Step 1").waitFor();
    await strips.getByText("2 of 2 done, 1 of them failed").waitFor();
  },
);

panelTest("tasks of a plan stand there, too, with their ticks", async () => {
  const task = { dependencies: [], tools: [], result: "" };
  const tasks = [
    { ...task, id: "1", description: "Find the tax", state: "done" },
    { ...task, id: "2", description: "Ask why", state: "failed" },
    { ...task, id: "3", description: "Mend `net`", state: "active" },
  ];
  await shown(run(STARTED, { kind: "plan", tasks }));
  const strip = harness.page.locator(".strips .strip");
  await strip.getByText("3 of 3: 3. Mend `net`").waitFor();
  await strip.locator(".fold-head").click();
  const entries = (await strip.locator("ol").textContent()) ?? "";
  assert.match(entries, /done: 1\. Find the tax.*failed: 2\. Ask why.*now: 3\. Mend net/);
  await harness.tell(run(STARTED, { kind: "plan", tasks }, OVER));
  assert.equal(await strip.count(), 0);
});

panelTest(
  "what waits and has scrolled away is named above the input, which leads there",
  async () => {
    await shown(...stream("answered"), permission("p", "make"));
    const waiting = harness.page.locator(".strip.waiting");
    assert.equal(await waiting.count(), 0);
    await harness.page.locator(".transcript").evaluate((box) => {
      box.scrollTop = 0;
    });
    await waiting.waitFor();
    assert.match((await waiting.textContent()) ?? "", /Run this command\? make/);
    await waiting.press("Enter");
    await waiting.waitFor({ state: "detached" });
    assert.equal(await harness.page.locator(".permission:focus").count(), 1);
  },
);

panelTest(
  "sending a question goes to the end, as one that is asked in an editor does",
  async () => {
    await shown(...stream("answered"));
    const box = harness.page.locator(".transcript");
    const toBegin = async () =>
      await box.evaluate((each) => {
        each.scrollTop = 0;
      });
    const atEnd = async () =>
      await harness.page.waitForFunction(() => {
        const each = document.querySelector(".transcript");
        return each !== null && each.scrollHeight - each.scrollTop - each.clientHeight < 5;
      });
    await toBegin();
    await input.fill("And then?");
    await input.press("Enter");
    await atEnd();
    await toBegin();
    const asked = { runId: "e", question: "Explain this.", chips: [] };
    await harness.tell({ type: "begun", asked });
    await atEnd();
    await toBegin();
    await harness.tell({ type: "begun", asked: { ...asked, runId: "q", queued: true } });
    await harness.page.getByRole("button", { name: "To the end of the conversation" }).waitFor();
    assert.equal(await box.evaluate((each) => each.scrollTop), 0);
  },
);
