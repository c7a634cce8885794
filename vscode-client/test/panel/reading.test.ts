// What one reads, and takes along: questions with code in them, cards, and the answer as it is copied.

import assert from "node:assert/strict";
import type { Answer, Event } from "../../src/wire.ts";
import { button, harness, panelTest, shown } from "./harness/opened.ts";
import { stream } from "./harness/streams.ts";

/** An event of the run `r`, with as many fields as the panel looks at. */
function event(seq: number, more: object): Event {
  return { runId: "r", seq, ...more } as Event;
}

const NONE = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const STARTED = event(0, { kind: "run.started", question: "Is `gross` right?", attachments: [] });
const AGENT = {
  agentId: "a1",
  callId: null,
  name: "Explore",
  task: "Who uses `gross`?",
  model: "m",
};

/** A sub-agent that began so many milliseconds ago. */
function begun(milliseconds: number): Event {
  const beganAt = new Date(Date.now() - milliseconds).toISOString();
  return event(1, { kind: "agent.started", ...AGENT, beganAt });
}

panelTest("code in a question is shown as code, and asked again as it was written", async () => {
  await shown({
    type: "events",
    events: [STARTED, event(1, { kind: "run.cancelled", elsewhere: "" })],
  });
  const bubble = harness.page.locator(".question-text");
  assert.equal(await bubble.textContent(), "Is gross right?");
  assert.equal(await bubble.locator("code").textContent(), "gross");
  await button("Ask again").click();
  assert.equal((await harness.said("ask"))[0]?.question, "Is `gross` right?");
});

panelTest("a turn whose session goes on elsewhere says so quietly", async () => {
  const ended = event(1, { kind: "run.cancelled", elsewhere: "a terminal" });
  await shown({ type: "events", events: [STARTED, ended] });
  await harness.page
    .getByText("Continued in a terminal. What was done so far is kept.")
    .first()
    .waitFor();
  assert.equal(await harness.page.locator(".failure, [role=alert]:not(:empty)").count(), 0);
  assert.equal(await button("Try again").count(), 0);
});

panelTest("a step has a name for people, and words in place of a pattern", async () => {
  const given = { pattern: "(?:confi\\wg|cofig)", ignore_case: true };
  const called = { callId: "c", tool: "Grep", arguments: given, about: "like “cofnig”" };
  await shown({ type: "events", events: [STARTED, event(1, { kind: "tool.started", ...called })] });
  const step = harness.page.locator(".tool .fold-head");
  assert.match((await step.textContent()) ?? "", /Find text\s*like “cofnig”/);
});

panelTest("a card that is opened says once what came of the call", async () => {
  await shown(...stream("edits"));
  const card = harness.page.locator(".tool.failed").first();
  const said = card.locator(":text('does not allow this') >> visible=true");
  assert.equal(await said.count(), 1);
  await card.locator(".fold-head").click();
  assert.equal(await said.count(), 1);
  assert.equal(await card.locator(".result").textContent(), "The user does not allow this.");
});

panelTest(
  "an answer is copied with places for citations, and what is wrong with them",
  async () => {
    const text = [
      "It adds [cite: doc, a.py, L3-L4], or not [cite: doc, b.py, L9].",
      "`[cite: doc, c.py, L1]` is how one cites:",
      "```\n[cite: doc, d.py, L1]\n```",
    ].join("\n");
    const of = (target: string, status: string, firstLine: number, lastLine: number) =>
      ({ target, status, reason: "", uri: `file:///w/${target}`, firstLine, lastLine }) as const;
    const checked = [of("a.py", "read", 3, 4), of("b.py", "unsupported", 9, 9)];
    await shown({
      type: "events",
      events: [
        STARTED,
        event(1, { kind: "text.delta", text }),
        ...checked.map((citation, at) => event(2 + at, { kind: "citation", citation })),
        event(4, { kind: "run.finished", stop: "answered" }),
      ],
    });
    await button("Copy the answer").click();
    const [copied] = await harness.said("copy");
    assert.equal(
      copied?.text,
      text
        .replace("[cite: doc, a.py, L3-L4]", "(a.py:3-4)")
        .replace("[cite: doc, b.py, L9]", "(b.py:9, unsupported)"),
    );
  },
);

panelTest("a sub-agent at work says for how long", async () => {
  await shown({ type: "events", events: [STARTED, begun(65_000)] });
  const card = harness.page.locator(".agent");
  assert.match(
    (await card.textContent()) ?? "",
    /Explore ?Who uses gross\?.*0 tokens · 1 min [5-9] s/,
  );
});

panelTest("a sub-agent that was stopped says so, and has not failed", async () => {
  const ended = { summary: "", partial: "it was cancelled", citations: [] };
  const figures = { toolCalls: 1, tokens: 3400, milliseconds: 3500 };
  const end = { kind: "agent.finished", agentId: "a1", error: false, ...ended, ...figures };
  await shown({ type: "events", events: [STARTED, begun(3500), event(2, end)] });
  const card = harness.page.locator(".agent");
  assert.match((await card.textContent()) ?? "", /partial: it was cancelled/);
  assert.equal(await card.locator(".icon.bad").count(), 0);
});

panelTest("what an answer took counts its sub-agents", async () => {
  const usage = { ...NONE, inputTokens: 1000, outputTokens: 100 };
  const answer = {
    runId: "r",
    text: "",
    citations: [],
    stop: "answered",
    turns: 1,
    milliseconds: 1000,
    usage: { ...usage, inputTokens: 9000 },
    dollars: null,
    sessionDollars: null,
  } as unknown as Answer;
  const own = event(1, { kind: "usage", ...usage });
  const end = event(2, { kind: "run.finished", stop: "answered" });
  await shown({ type: "events", events: [STARTED, own, end] }, { type: "answer", answer });
  assert.equal(await harness.page.locator(".figures").textContent(), "9.1k tokens · 1 s");
});
