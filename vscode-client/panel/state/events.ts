// From a run's events to its turn: one function for each kind, none of which changes its argument.

import { attachedChips } from "../../src/panel/attached.ts";
import { toolName } from "../../src/tools.ts";
import type { Event, Usage } from "../../src/wire.ts";
import type { AgentPart, EditPart, Found, Part, ToolPart, Turn } from "./model.ts";
import { isLive } from "./model.ts";

type Kind = Event["kind"];
type Of<K extends Kind> = Extract<Event, { kind: K }>;
type Handlers = { readonly [K in Kind]: (turn: Turn, event: Of<K>) => Turn };

/** The turn after an event; one that was there already, or of a kind not known, changes nothing. */
export function afterEvent(turn: Turn, event: Event): Turn {
  if (event.seq <= turn.seq || !Object.hasOwn(HANDLERS, event.kind)) {
    return turn;
  }
  const handle = HANDLERS[event.kind] as (turn: Turn, event: Event) => Turn;
  const begun =
    turn.seq < 0 && event.kind !== "run.started"
      ? { ...turn, phase: "running" as const, partial: true }
      : turn;
  return { ...handle(begun, event), seq: event.seq };
}

const HANDLERS: Handlers = {
  "run.started": (turn, { question, shown, attachments, model, offline, beganAt }) => ({
    ...turn,
    beganAt,
    question,
    shown,
    chips: attachedChips(attachments),
    model,
    offline,
    phase: "running",
  }),
  "text.delta": (turn, { text }) => withDelta(turn, "text", text),
  "thinking.delta": (turn, { text }) => withDelta(turn, "thinking", text),
  "text.discarded": (turn) => ({
    ...turn,
    parts: turn.parts.filter((part) => !("reply" in part) || part.reply !== turn.reply),
    citations: turn.citations.filter(({ reply }) => reply !== turn.reply),
    uncited: turn.uncited.filter(({ reply }) => reply !== turn.reply),
  }),
  "tool.started": (turn, { callId, tool, arguments: given, about = "" }) =>
    withPart(nextReply(turn), {
      kind: "tool",
      callId,
      tool,
      arguments: given,
      about,
      output: null,
      delegated: false,
      finished: null,
    }),
  "tool.output": (turn, { callId, text, live }) =>
    change(turn, isCall(callId), (part) => ({ ...part, output: { text, live, problem: "" } })),
  "files.changed": (turn, { files, more }) => ({ ...turn, changed: { files, more } }),
  "tool.finished": (turn, { callId, tool, places = [], answer = null, ...ended }) => {
    const { summary, error, unsuccessful, milliseconds } = ended;
    const finished = { summary, error, unsuccessful, milliseconds, places, answer };
    const known = turn.parts.some(isCall(callId))
      ? turn
      : withPart(turn, {
          kind: "tool",
          callId,
          tool,
          arguments: {},
          about: "",
          output: null,
          delegated: false,
          finished,
        });
    return nextReply(change(known, isCall(callId), (part) => ({ ...part, finished })));
  },
  todo: (turn, { steps }) => inPlace(turn, { kind: "todo", steps }),
  plan: (turn, { tasks }) => inPlace(turn, { kind: "plan", tasks }),
  "edit.proposed": (turn, { plan }) => withPart(turn, { kind: "edit", plan, settled: null }),
  "edit.settled": (turn, { planId, applied, note, leftOut }) =>
    change(turn, isPlan(planId), (part) => ({ ...part, settled: { applied, note, leftOut } })),
  "agent.started": (turn, { agentId, callId, name, task, model, beganAt }) =>
    withPart(change(turn, isCall(callId ?? ""), delegated), {
      kind: "agent",
      agentId,
      name,
      task,
      model,
      beganAt,
      doing: "",
      toolCalls: 0,
      tokens: 0,
      finished: null,
    }),
  "agent.progress": (turn, { agentId, tool, detail, toolCalls, tokens }) =>
    change(turn, isAgent(agentId), (part) => ({
      ...part,
      doing: [toolName(tool), detail].filter(Boolean).join(" "),
      toolCalls,
      tokens,
    })),
  "agent.finished": (turn, { agentId, toolCalls, tokens, ...finished }) =>
    change(turn, isAgent(agentId), (part) => {
      const { summary, partial, error, citations, milliseconds } = finished;
      const ending = { summary, partial, error, citations, milliseconds };
      return { ...part, toolCalls, tokens, finished: ending };
    }),
  citation: (turn, { citation }) => {
    const found = { ...citation, reply: turn.reply };
    const others = turn.citations.filter((each) => !isSame(each, found));
    return { ...turn, citations: [...others, found] };
  },
  uncited: (turn, { statement, start, end }) => {
    const { reply } = turn;
    const others = turn.uncited.filter((each) => each.reply !== reply || each.start !== start);
    return { ...turn, uncited: [...others, { statement, start, end, reply }] };
  },
  correction: (turn, { what, before, after, reason }) => ({
    ...turn,
    corrections: [...turn.corrections, { what, before, after, reason }],
  }),
  fact: (turn, { fact }) => ({
    ...turn,
    facts: [...turn.facts.filter(({ id }) => id !== fact.id), fact],
  }),
  state: (turn, { state, detail }) => ({ ...turn, state: { name: state, detail } }),
  usage: (turn, event) => ({ ...turn, usage: sum(turn.usage, event), last: tokensOf(event) }),
  compaction: (turn, { before, after, byModel }) =>
    withPart(turn, {
      kind: "notice",
      about: "",
      message: `The conversation was compacted${byModel ? "" : ", without a model"}: a request now takes about ${after.toLocaleString("en")} tokens instead of ${before.toLocaleString("en")}.`,
    }),
  notice: (turn, { message, about }) => withPart(turn, { kind: "notice", message, about }),
  steered: (turn, { text, attachments }) =>
    withPart(turn, { kind: "said", text, chips: attachedChips(attachments) }),
  "run.finished": (turn, { stop }) => ({ ...turn, phase: "finished", stop }),
  "run.failed": (turn, { message }) => ended(turn, "failed", message),
  "run.cancelled": (turn, { elsewhere = "" }) => ended(turn, "cancelled", elsewhere),
};

/** The turn whose command failed, unless an event has said so already. */
export function ended(turn: Turn, phase: "failed" | "cancelled", message: string): Turn {
  return isLive(turn) ? { ...turn, phase, message } : turn;
}

function withPart(turn: Turn, part: Part): Turn {
  return { ...turn, parts: [...turn.parts, part] };
}

function withDelta(turn: Turn, kind: "text" | "thinking", text: string): Turn {
  const last = turn.parts.at(-1);
  return last?.kind === kind && last.reply === turn.reply
    ? { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, text: last.text + text }] }
    : withPart(turn, { kind, text, reply: turn.reply });
}

/** What streams from now on belongs to another reply of the model than what streamed before. */
function nextReply(turn: Turn): Turn {
  return { ...turn, reply: turn.reply + 1 };
}

/** The turn's only part of a kind, which changes where it is. */
function inPlace(turn: Turn, part: Part): Turn {
  const at = turn.parts.findIndex(({ kind }) => kind === part.kind);
  return at < 0 ? withPart(turn, part) : { ...turn, parts: turn.parts.with(at, part) };
}

function change<P extends Part>(
  turn: Turn,
  is: (part: Part) => part is P,
  into: (part: P) => P,
): Turn {
  return { ...turn, parts: turn.parts.map((part) => (is(part) ? into(part) : part)) };
}

function delegated(part: ToolPart): ToolPart {
  return { ...part, delegated: true };
}

function isCall(id: string): (part: Part) => part is ToolPart {
  return (part): part is ToolPart => part.kind === "tool" && part.callId === id;
}

function isPlan(id: string): (part: Part) => part is EditPart {
  return (part): part is EditPart => part.kind === "edit" && part.plan.id === id;
}

function isAgent(id: string): (part: Part) => part is AgentPart {
  return (part): part is AgentPart => part.kind === "agent" && part.agentId === id;
}

/** Without a place, it is of all marks of these lines. */
function isSame(one: Found, other: Found): boolean {
  return (
    one.target === other.target &&
    one.firstLine === other.firstLine &&
    one.lastLine === other.lastLine &&
    (other.at == null || (one.at === other.at && one.reply === other.reply))
  );
}

function tokensOf(event: Usage): Usage {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}

function sum(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}
