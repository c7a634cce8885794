import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, type PanelState, type Turn } from "../../panel/state/model.ts";
import { pointsIn } from "../../panel/state/offsets.ts";
import { type Local, reduce } from "../../panel/state/reduce.ts";
import {
  piecesOf,
  presentLines,
  sourcesOf,
  stateOf,
  uncitedIn,
  verdictsOf,
} from "../../panel/state/sources.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import type { Event } from "../../src/wire.ts";
import { stream } from "./harness/streams.ts";

const RUN = "r";

const STARTED = {
  question: "?",
  sessionId: "s",
  model: "m",
  offline: false,
  attachments: [],
  onlyReads: false,
  plan: "auto",
  beganAt: "",
  shown: "",
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

/** Events of one run, numbered. */
function events(...given: readonly (Partial<Event> & { kind: Event["kind"] })[]): ToPanel {
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
    {
      type: "replay",
      sessionId: "s1",
      events: [],
      answers: [],
      asked: [{ runId: RUN, question: "?", chips: [] }],
    },
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
      { kind: "run.cancelled", elsewhere: "" },
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
  const after = played([{ type: "replay", sessionId: "s1", events: all, answers, asked }], before);
  assert.deepEqual(only(after), { ...only(before), chips: [chip] });
  assert.equal(after.known, true);
});

test("what runs took that were resumed stands in their turns", () => {
  const given = stream("offline");
  const all = given.flatMap((message) => (message.type === "events" ? message.events : []));
  const usage = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 2 };
  const took = { milliseconds: 3, turns: 1, usage, dollars: null, sessionDollars: null };
  const figures = ["gone", "offline"].map((runId) => ({ runId, ...took }));
  const after = played([{ type: "replay", sessionId: "s1", events: all, answers: [], figures }]);
  assert.deepEqual(only(after).figures, { runId: "offline", ...took });
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

test("a grounded answer: agents, plan, states, facts and every state of a citation", () => {
  const turn = turnOf("grounded");
  assert.deepEqual(
    [...sourcesOf(turn).values()].map((each) => stateOf(each, false)),
    ["unsupported", "contradicted", "moved", "stale", "verified", "read", "unsupported"],
  );
  assert.deepEqual(
    turn.corrections.map(({ what }) => what),
    ["rewritten", "dropped"],
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

test("the same lines may carry one sentence and not another", () => {
  const [first] = sourcesOf(turnOf("grounded")).values();
  assert.ok(first);
  const found = verdictsOf(first).map(({ citation }) => [citation?.status, citation?.basis]);
  assert.deepEqual(found, [
    ["unsupported", "model"],
    ["verified", "checks"],
  ]);
});

const LINES = { target: "a.py", uri: "file:///a.py", firstLine: 1, lastLine: 2, reason: "" };
const MARK = "[cite: doc, a.py, L1-L2]";

/** What is found of the mark in each place, in the order of the text. */
function statesIn(turn: Turn): (string | undefined)[] {
  const [source] = sourcesOf(turn).values();
  return [...(source?.places.values() ?? [])].map((citation) => citation?.status);
}

test("marks are told apart by their place, which counts characters and not UTF-16", () => {
  const text = `\u{1F600} One ${MARK}. \u{1F680} Two ${MARK}. Three ${MARK}.`;
  const points = [...text.matchAll(/\[cite/g)].map(({ index }) => pointsIn(text)(index));
  assert.deepEqual(points, [6, 38, 70]);
  const citation = (at: number | null, status: string) =>
    ({ kind: "citation", citation: { ...LINES, status, basis: null, at } }) as const;
  const given = [citation(6, "verified"), citation(38, "contradicted")] as unknown as Event[];
  const begun = [
    { kind: "run.started", ...STARTED },
    { kind: "text.delta", text },
  ] as const;
  const turn = only(played([events(...begun, ...given)]));
  assert.deepEqual(statesIn(turn), ["verified", "contradicted", undefined]);

  const again = [...given, citation(38, "verified")] as unknown as Event[];
  assert.deepEqual(statesIn(only(played([events(...begun, ...again)]))), [
    "verified",
    "verified",
    undefined,
  ]);
  const everywhere = [...given, citation(null, "stale")] as unknown as Event[];
  assert.deepEqual(statesIn(only(played([events(...begun, ...everywhere)]))), [
    "stale",
    "stale",
    "stale",
  ]);
});

test("what was found of a reply that is void is void; a place is one in its reply", () => {
  const text = `So ${MARK}.`;
  const found = { kind: "citation", citation: { ...LINES, status: "verified", at: 3 } } as const;
  const claim = { kind: "uncited", statement: "So.", start: 0, end: 3 } as const;
  const given = [
    { kind: "run.started", ...STARTED },
    { kind: "text.delta", text },
    found,
    claim,
    { kind: "text.discarded", reason: "citations" },
    { kind: "text.delta", text },
  ] as unknown as Event[];
  const turn = only(played([events(...given)]));
  assert.deepEqual([statesIn(turn), turn.uncited], [[undefined], []]);

  const call = { callId: "c", tool: "Read" };
  const later = [
    { kind: "run.started", ...STARTED },
    { kind: "text.delta", text },
    { kind: "tool.started", ...call, arguments: {} },
    { kind: "tool.finished", ...call, summary: "", error: false, milliseconds: 1 },
    { kind: "text.delta", text },
    found,
  ] as unknown as Event[];
  assert.deepEqual(statesIn(only(played([events(...later)]))), [undefined, "verified"]);
});

test("a sentence that cites nothing is found behind what is drawn in between", () => {
  const given = [
    { kind: "run.started", ...STARTED },
    { kind: "text.delta", text: "\u{1F600} One. " },
    { kind: "notice", message: "wait" },
    { kind: "text.delta", text: "\u{1F600} Two." },
    { kind: "uncited", statement: "Two.", start: 9, end: 13 },
  ] as unknown as Event[];
  const turn = only(played([events(...given)]));
  const pieces = [...piecesOf(turn).values()];
  const found = pieces.map((piece) =>
    uncitedIn(piece, turn.uncited).map(({ start, end }) => piece.text.slice(start, end)),
  );
  assert.deepEqual(found, [[], ["Two."]]);
});

test("a citation that goes stale later is stale in the answer", () => {
  const state = played([
    ...stream("grounded"),
    {
      type: "events",
      events: [
        {
          runId: "grounded",
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

test("a mark whose lines moved after the run's end says so, opens them there, and is as before again", () => {
  const text = `One ${MARK}. Two ${MARK}.`;
  const citation = (at: number, status: string, more: object = {}) =>
    ({
      kind: "citation",
      citation: { ...LINES, status, basis: "checks", reason: "", at, ...more },
    }) as unknown as Event;
  const [one, two] = [text.indexOf("["), text.lastIndexOf("[")];
  const told = [
    { kind: "run.started", ...STARTED },
    { kind: "text.delta", text },
    citation(one, "verified"),
    citation(two, "verified"),
    { kind: "run.finished", stop: "answered" },
  ] as Event[];
  const moved = {
    reason: "Its lines stand at peer.py:12-13 now.",
    movedTo: 12,
    movedUntil: 13,
    cell: null,
    uri: "file:///w/peer.py",
  };
  told.push(citation(one, "moved", moved), citation(two, "stale", { basis: null }));
  const turn = only(played([events(...told)]));
  assert.equal(turn.phase, "finished");
  assert.deepEqual(statesIn(turn), ["moved", "stale"]);
  const [source] = sourcesOf(turn).values();
  const here = source?.places.get(`0:${one}`);
  assert.ok(source && here);
  assert.equal(here.reason, moved.reason);
  assert.deepEqual(presentLines(here), {
    firstLine: 12,
    lastLine: 13,
  });
  assert.deepEqual(presentLines({ ...here, movedTo: null, movedUntil: null }), {
    firstLine: LINES.firstLine,
    lastLine: LINES.lastLine,
  });
  told.push(citation(one, "verified"), citation(two, "verified"));
  assert.deepEqual(statesIn(only(played([events(...told)]))), ["verified", "verified"]);
});

test("an event of a kind not known changes nothing", () => {
  const known = only(played([events({ kind: "run.cancelled", elsewhere: "" })]));
  const strange = { type: "events", events: [{ runId: RUN, seq: 9, kind: "dance" }] };
  assert.deepEqual(
    only(played([events({ kind: "run.cancelled", elsewhere: "" }), strange as unknown as ToPanel])),
    known,
  );
});

test("completions of what was typed before do not replace the newest", () => {
  const answer = (number: number): ToPanel => ({
    type: "completions",
    number,
    items: [],
    incomplete: false,
  });
  assert.equal(played([answer(4), answer(2)]).completions.number, 4);
  assert.equal(played([answer(2), answer(4)]).completions.number, 4);
});
