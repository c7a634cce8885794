// From what the extension says, and what the user does here, to what the panel shows.

import type { Asked, Chip, ToPanel } from "../../src/panel/messages.ts";
import type { Answer, Event } from "../../src/wire.ts";
import { afterEvent, ended } from "./events.ts";
import type { Ask, PanelState, Part, Turn } from "./model.ts";
import { newTurn } from "./model.ts";

/** What happens in the panel itself. */
export type Local =
  | {
      readonly type: "asked";
      readonly runId: string;
      readonly question: string;
      readonly chips: readonly Chip[];
      readonly insteadOf: string | null;
    }
  /** The user answered one of the asks. */
  | { readonly type: "answered"; readonly id: string };

/** The state after a message. */
export function reduce(state: PanelState, message: ToPanel | Local): PanelState {
  switch (message.type) {
    case "situation":
      return { ...state, situation: message.situation };
    case "replay":
      return replayed(state, message);
    case "begun":
      return { ...state, turns: withBegun(state.turns, message.asked) };
    case "events":
      return { ...state, turns: withEvents(state.turns, message.events) };
    case "answer":
      return { ...state, turns: withAnswer(state.turns, message.answer) };
    case "toolOutput":
      return { ...state, turns: withOutput(state.turns, message) };
    case "jobs":
      return { ...state, jobs: message.jobs };
    case "undone":
      return { ...state, turns: withUndone(state.turns, message.runs) };
    case "unsaved":
      return { ...state, unsaved: message.files };
    case "filesUndone":
      return { ...state, filesUndone: message.files };
    case "failed":
      return {
        ...state,
        turns: changed(state.turns, message.runId, (turn) =>
          ended(turn, "failed", message.message),
        ),
      };
    case "queue":
      return { ...state, queue: { messages: message.messages, held: message.held } };
    case "permission":
      return withAsk(state, {
        kind: "permission",
        id: message.id,
        request: message.request,
        leftOut: new Set(),
      });
    case "question":
      return withAsk(state, { kind: "question", id: message.id, question: message.question });
    case "review":
      return withAsk(state, {
        kind: "review",
        id: message.id,
        plan: message.plan,
        leftOut: new Set(),
      });
    case "leftOut":
      return { ...state, asks: withLeftOut(state.asks, message) };
    case "withdrawn":
    case "answered":
      return { ...state, asks: without(state.asks, message.id) };
    case "preview":
      return message.number < state.preview.number ? state : { ...state, preview: message };
    case "completions": // the answer to what was typed before may come after the newest
      return message.number < state.completions.number ? state : { ...state, completions: message };
    case "sessions":
      return { ...state, sessions: message.sessions, sessionWords: message.words };
    case "asked":
      return { ...state, turns: withQuestion(state.turns, message) };
    case "compose":
    case "focusAsk":
    case "keep":
    case "handOver":
      return state; // the input's, and the card's own
  }
}

function replayed(state: PanelState, replay: Extract<ToPanel, { type: "replay" }>): PanelState {
  const begun = withEvents([], replay.events);
  const figures = new Map((replay.figures ?? []).map((each) => [each.runId, each]));
  const turns = begun.map((turn) => ({ ...turn, figures: figures.get(turn.runId) ?? null }));
  for (const { runId, question, chips } of replay.asked ?? []) {
    const at = placeOf(turns, runId);
    turns[at] = { ...(turns[at] ?? { ...newTurn(runId), question }), chips };
  }
  return {
    ...state,
    turns: withUndone(replay.answers.reduce(withAnswer, turns), replay.undone ?? []),
    unsaved: replay.unsaved ?? [],
    known: true,
  };
}

/** Events come in batches, nearly always of one run: the newest turn. */
function withEvents(turns: readonly Turn[], events: readonly Event[]): readonly Turn[] {
  const all = [...turns];
  const places = new Map<string, number>();
  for (const event of events) {
    const at = places.get(event.runId) ?? placeOf(all, event.runId);
    places.set(event.runId, at);
    all[at] = afterEvent(all[at] ?? newTurn(event.runId), event);
  }
  return all;
}

function placeOf(turns: readonly Turn[], runId: string): number {
  const at = turns.findLastIndex((turn) => turn.runId === runId);
  return at < 0 ? turns.length : at;
}

function changed(
  turns: readonly Turn[],
  runId: string,
  into: (turn: Turn) => Turn,
): readonly Turn[] {
  const at = placeOf(turns, runId);
  return at < turns.length
    ? turns.map((turn, place) => (place === at ? into(turn) : turn))
    : [...turns, into({ ...newTurn(runId), partial: true })];
}

/** The answer's citations hold: events that were missed are among them. */
function withAnswer(turns: readonly Turn[], answer: Answer): readonly Turn[] {
  return changed(turns, answer.runId, (turn) => ({
    ...turn,
    answer,
    citations: turn.citations.length > 0 ? turn.citations : withReply(turn, answer.citations),
    uncited: turn.uncited.length > 0 ? turn.uncited : withReply(turn, answer.uncited ?? []),
    corrections: turn.corrections.length > 0 ? turn.corrections : (answer.corrections ?? []),
    phase: turn.phase === "waiting" || turn.phase === "running" ? "finished" : turn.phase,
    stop: turn.stop || answer.stop,
  }));
}

/** What stands in the answer's text, the last that there is. */
function withReply<T>({ parts, reply }: Turn, found: readonly T[]): (T & { reply: number })[] {
  const text = parts.findLast((part) => part.kind === "text");
  return found.map((each) => ({ ...each, reply: text?.reply ?? reply }));
}

/** The newest call with this id. */
function withOutput(
  turns: readonly Turn[],
  { callId, text, problem }: Extract<ToPanel, { type: "toolOutput" }>,
): readonly Turn[] {
  const isIt = (part: Part) => part.kind === "tool" && part.callId === callId;
  const at = turns.findLastIndex(({ parts }) => parts.some(isIt));
  const output = { text, live: false, problem };
  return turns.map((turn, place) =>
    place === at
      ? { ...turn, parts: turn.parts.map((part) => (isIt(part) ? { ...part, output } : part)) }
      : turn,
  );
}

/** Turns that are not named are not undone. */
function withUndone(turns: readonly Turn[], runs: readonly string[]): readonly Turn[] {
  return turns.map((turn) => {
    const undone = runs.includes(turn.runId);
    return undone === turn.undone ? turn : { ...turn, undone };
  });
}

/** A question that was asked in the panel is there already. */
function withBegun(turns: readonly Turn[], asked: Asked): readonly Turn[] {
  return placeOf(turns, asked.runId) < turns.length
    ? turns
    : withQuestion(turns, { insteadOf: null, ...asked });
}

/** A question asked again takes the place of the old one, and what followed that is gone. */
function withQuestion(
  turns: readonly Turn[],
  asked: Omit<Extract<Local, { type: "asked" }>, "type">,
): readonly Turn[] {
  const { runId, question, chips, insteadOf } = asked;
  const from = insteadOf === null ? turns.length : placeOf(turns, insteadOf);
  return [...turns.slice(0, from), { ...newTurn(runId), question, chips }];
}

/** One that is there already keeps its place. */
function withAsk(state: PanelState, ask: Ask): PanelState {
  const known = state.asks.some(({ id }) => id === ask.id);
  return known ? state : { ...state, asks: [...state.asks, ask] };
}

function withLeftOut(
  asks: readonly Ask[],
  { id, parts }: Extract<ToPanel, { type: "leftOut" }>,
): readonly Ask[] {
  return asks.map((ask) =>
    ask.id === id && ask.kind !== "question" ? { ...ask, leftOut: new Set(parts) } : ask,
  );
}

function without(asks: readonly Ask[], id: string): readonly Ask[] {
  return asks.filter((ask) => ask.id !== id);
}
