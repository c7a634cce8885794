import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyEvent } from "../../panel/later.ts";
import { sourcesOf, stateOf } from "../../panel/state/cites.ts";
import { EMPTY, type PanelState, type Turn } from "../../panel/state/model.ts";
import { type Local, reduce } from "../../panel/state/reduce.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import { stream } from "./harness/streams.ts";

const RUN = "r";

const STARTED = {
  question: "?",
  sessionId: "s",
  model: "m",
  offline: false,
  attachments: [],
  onlyReads: false,
};

function played(messages: readonly (ToPanel | Local)[], state: PanelState = EMPTY): PanelState {
  return messages.reduce(reduce, state);
}

function turnOf(name: string): Turn {
  return only(played(stream(name)));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function only(state: PanelState): Turn {
  assert.equal(state.turns.length, 1);
  return state.turns[0] as Turn;
}

/** Events of one run, numbered; the later kinds are not in the wire's union yet. */
function events(...given: readonly (Partial<AnyEvent> & { kind: AnyEvent["kind"] })[]): ToPanel {
  const all = given.map((event, seq) => ({ runId: RUN, seq, ...event }));
  return { type: "events", events: all } as unknown as ToPanel;
}

function outline(turn: Turn): string[] {
  return turn.parts.map((part) => {
    switch (part.kind) {
      case "text":
      case "thinking":
        return `${part.kind} ${part.text.slice(0, 20)}`;
      case "tool":
        return `${part.tool} ${part.finished === null ? "…" : part.finished.error ? "✗" : "✓"}`;
      case "edit":
        return `edit ${part.settled?.applied} ${part.plan.hunks.length}`;
      default:
        return part.kind;
    }
  });
}

test("an offline answer: calls, text and four citations, which cost nothing", () => {
  const turn = turnOf("offline");
  assert.equal(turn.phase, "finished");
  assert.equal(turn.offline, true);
  assert.deepEqual(
    [...sourcesOf(turn).values()].map((each) => stateOf(each, false)),
    ["read", "read", "read", "read"],
  );
  assert.equal(turn.usage.inputTokens, 0);
});

test("an answer: thinking, steps in one place, calls, and a citation that does not hold", () => {
  const turn = turnOf("answered");
  // calls of one reply run side by side, and begin in no certain order
  assert.deepEqual(outline(turn).toSorted(byText), [
    "Grep ✓",
    "Read ✓",
    "Read ✓",
    "Read ✓",
    "Read ✗",
    "Todo ✓",
    "Todo ✓",
    "text Found the till. Now ",
    "text The total comes from",
    "thinking The total is compute",
    "todo",
  ]);
  assert.equal(turn.parts.filter((part) => part.kind === "todo").length, 1);
  const sources = [...sourcesOf(turn).values()];
  assert.deepEqual(
    sources.map((each) => `${each.number} ${each.mark.target} ${stateOf(each, false)}`),
    ["1 shop.py read", "2 prices.py read", "3 README.md read", "4 test_shop.py unsupported"],
  );
  assert.deepEqual(turn.answer?.usage, turn.usage);
});

test("edits: what was rejected is noted, and what was asked is withdrawn", () => {
  const state = played(stream("edits"));
  assert.deepEqual(state.asks, []);
  assert.deepEqual(
    outline(only(state)).filter((each) => /^edit|Bash/.test(each)),
    ["edit true 3", "edit true 1", "Bash ✗"],
  );
});

test("what is asked waits until it is answered here or elsewhere", () => {
  const permission = stream("edits").find((message) => message.type === "permission");
  assert.ok(permission && "id" in permission);
  const asking = played([permission]);
  assert.equal(asking.asks.length, 1);
  assert.equal(played([{ type: "answered", id: permission.id }], asking).asks.length, 0);
  assert.equal(played([{ type: "withdrawn", id: permission.id }], asking).asks.length, 0);
});

test("a reply that broke off is gone, its notice stays", () => {
  const turn = turnOf("discarded");
  assert.deepEqual(outline(turn), ["notice", "text It prints the price "]);
});

test("only the reply under way is discarded", () => {
  const state = played([
    events(
      { kind: "run.started", ...STARTED },
      { kind: "text.delta", text: "kept" },
      { kind: "tool.started", callId: "c", tool: "Read", arguments: {} },
      {
        kind: "tool.finished",
        callId: "c",
        tool: "Read",
        summary: "",
        error: false,
        milliseconds: 1,
      },
      { kind: "thinking.delta", text: "void" },
      { kind: "text.delta", text: "void" },
      { kind: "text.discarded" },
      { kind: "text.delta", text: "new" },
    ),
  ]);
  assert.deepEqual(outline(only(state)), ["text kept", "Read ✓", "text new"]);
});

test("deltas are merged however they arrive, and none counts twice", () => {
  const given = stream("answered");
  const all = given.flatMap((message) => (message.type === "events" ? message.events : []));
  const one = only(played([{ type: "events", events: all }]));
  const twice = only(played([...given, ...given.slice(0, 40)]));
  const each = only(played(given));
  assert.deepEqual(one.parts, each.parts);
  assert.deepEqual(twice.parts, each.parts);
});

test("after a reload numbers may have gaps, and a run may go on", () => {
  const state = played([
    { type: "replay", events: [], answers: [], asked: [{ runId: RUN, question: "?", chips: [] }] },
    events({ kind: "run.started", ...STARTED }),
    events({ kind: "text.delta", text: "on", seq: 57 }),
  ]);
  assert.equal(only(state).phase, "running");
  assert.deepEqual(outline(only(state)), ["text on"]);
  assert.equal(only(state).partial, false);
});

test("a run whose beginning is missing says so", () => {
  assert.equal(only(played([events({ kind: "text.delta", text: "on", seq: 57 })])).partial, true);
});

test("a run ends once", () => {
  assert.equal(turnOf("failed").phase, "failed");
  assert.match(turnOf("failed").message, /credentials/);
  assert.equal(turnOf("cancelled").phase, "cancelled");
  assert.equal(turnOf("cancelled").message, "");
  const refused = played([
    { type: "asked", runId: RUN, question: "?", chips: [], insteadOf: null },
    { type: "failed", runId: RUN, message: "Not now." },
  ]);
  assert.equal(only(refused).phase, "failed");
  assert.equal(only(refused).question, "?");
});

test("calls of a stopped run stay unfinished", () => {
  const state = played([
    events(
      { kind: "tool.started", callId: "c", tool: "Bash", arguments: {} },
      { kind: "run.cancelled" },
    ),
  ]);
  assert.deepEqual(outline(only(state)), ["Bash …"]);
});

test("a question of a command's is there with its chips, one of the panel's own as it was", () => {
  const chip = { label: "a.py:1", attachment: { uri: "file:///a.py", firstLine: 1, lastLine: 1 } };
  const begun: ToPanel = { type: "begun", asked: { runId: RUN, question: "?", chips: [chip] } };
  const item = { ...chip.attachment, name: "a.py", mediaType: null, diagnostics: [] };
  const question = "Explain `a.py:1`.";
  const started = events({ kind: "run.started", ...STARTED, question, attachments: [item] });
  const turn = only(played([begun, started, begun]));
  assert.deepEqual([turn.question, turn.chips], ["Explain `a.py:1`.", [chip]]);
});

const BEGUN: ToPanel = {
  type: "begun",
  asked: { runId: "d", question: "d", chips: [], insteadOf: "b" },
};

test("a question asked again takes the place of the old one and of what followed", () => {
  const ask = (runId: string, insteadOf: string | null): Local => ({
    type: "asked",
    runId,
    question: runId,
    chips: [],
    insteadOf,
  });
  const here = ["a", "b", "c"].map((runId) => ask(runId, null));
  const state = played([...here, ask("d", "b"), BEGUN]); // the extension says it, too
  assert.deepEqual(
    state.turns.map(({ runId }) => runId),
    ["a", "d"],
  );
});

test("what went with a question is told with it", () => {
  const item = { name: "a.py", uri: "file:///w/a.py", firstLine: 3, lastLine: 4 };
  const rest = { mediaType: null, diagnostics: [] };
  const whole = { ...item, ...rest, firstLine: null, lastLine: null };
  const attachments = [{ ...item, ...rest }, whole, { ...whole, uri: null, name: "pasted" }];
  const state = played([events({ kind: "run.started", ...STARTED, attachments })]);
  assert.deepEqual(only(state).chips, [
    { label: "a.py:3-4", attachment: { uri: item.uri, firstLine: 3, lastLine: 4 } },
    { label: "a.py", attachment: { uri: item.uri } },
  ]);
});

test("a replay begins anew, with chips and answers", () => {
  const given = stream("offline");
  const before = played(given);
  const all = given.flatMap((message) => (message.type === "events" ? message.events : []));
  const answers = given.flatMap((message) => (message.type === "answer" ? [message.answer] : []));
  const chip = { label: "a.py", attachment: { uri: "file:///a.py" } };
  const asked = [{ runId: "offline", question: "?", chips: [chip] }];
  const after = played([{ type: "replay", events: all, answers, asked }], before);
  assert.deepEqual(only(after), { ...only(before), chips: [chip] });
  assert.equal(after.known, true);
});

test("a call whose work a sub-agent does is told of by that one's card", () => {
  const call = { tool: "Explore", arguments: { task: "Look" } };
  const agent = { agentId: "a1", name: "Explore", task: "Look", model: "m" };
  const turn = only(
    played([
      events(
        { kind: "run.started", ...STARTED },
        { kind: "tool.started", callId: "c1", ...call },
        { kind: "tool.started", callId: "c2", ...call },
        { kind: "agent.started", callId: "c1", ...agent },
      ),
    ]),
  );
  const tools = turn.parts.filter((part) => part.kind === "tool");
  assert.deepEqual(
    tools.map(({ callId, delegated }) => [callId, delegated]),
    [
      ["c1", true],
      ["c2", false],
    ],
  );
});

test("what comes later: agents, plan, states, facts and every state of a citation", () => {
  const turn = turnOf("later");
  assert.deepEqual(
    [...sourcesOf(turn).values()].map((each) => stateOf(each, false)),
    ["read", "contradicted", "moved", "stale", "verified", "unchecked", "unsupported"],
  );
  assert.equal(turn.state?.name, "DONE");
  assert.deepEqual(
    turn.facts.map(({ state }) => state),
    ["fresh", "stale"],
  );
  const agents = turn.parts.filter((part) => part.kind === "agent");
  assert.deepEqual(
    agents.map(({ toolCalls, tokens, finished }) => [toolCalls, tokens, finished?.error]),
    [
      [6, 15200, false],
      [9, 31800, false],
    ],
  );
  assert.deepEqual(
    agents.map(({ finished }) => [finished?.partial, finished?.citations.length]),
    [
      ["", 1],
      ["it used up its 60 seconds", 0],
    ],
  );
});

test("a citation that goes stale later is stale in the answer", () => {
  const state = played([
    ...stream("later"),
    {
      type: "events",
      events: [
        {
          runId: "later",
          seq: 900,
          kind: "citation",
          citation: {
            target: "server/listen.py",
            status: "stale",
            reason: "It has changed.",
            uri: "file:///w/server/listen.py",
            firstLine: 40,
            lastLine: 52,
          },
        },
      ],
    } as unknown as ToPanel,
  ]);
  const first = [...sourcesOf(only(state)).values()][0];
  assert.ok(first);
  assert.equal(stateOf(first, false), "stale");
});

test("an event of a kind not known changes nothing", () => {
  const known = only(played([events({ kind: "run.cancelled" })]));
  const strange = { type: "events", events: [{ runId: RUN, seq: 9, kind: "dance" }] };
  assert.deepEqual(
    only(played([events({ kind: "run.cancelled" }), strange as unknown as ToPanel])),
    known,
  );
});
