// A question and what came of it, from top to bottom.

import { useMemo } from "preact/hooks";
import { chipKey } from "../../src/panel/attached.ts";
import { Markdown } from "../markdown/view.tsx";
import { type Source, sourcesOf } from "../state/cites.ts";
import { isLive, type Part, type ToolPart, type Turn } from "../state/model.ts";
import { asks, stopping } from "../store.ts";
import { memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { AgentCard } from "./agent-card.tsx";
import { ChipView } from "./chip.tsx";
import { EditCard } from "./edit-card.tsx";
import { Ending } from "./ending.tsx";
import { PlanList, TodoList } from "./lists.tsx";
import { QuestionText } from "./question-text.tsx";
import { Facts, Sources } from "./sources.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolCard } from "./tool-card.tsx";

/** The turn. */
export const TurnView = memo(({ turn }: { turn: Turn }) => {
  const sources = useMemo(() => sourcesOf(turn), [turn.parts, turn.citations, turn.undone]);
  const live = isLive(turn);
  return (
    <>
      <div class="question">
        <h2 class="unseen">Question</h2>
        {turn.question && <QuestionText text={turn.question} id={turn.runId} />}
        {turn.partial && <p class="notice">The beginning of this turn was not received.</p>}
        {turn.chips.length > 0 && (
          <div class="chips">
            {turn.chips.map((chip) => (
              <ChipView key={chipKey(chip)} chip={chip} />
            ))}
          </div>
        )}
      </div>
      <div class="answer">
        <h2 class="unseen">Answer</h2>
        {turn.parts.map((part, at) => (
          <PartView
            key={keyOf(part, at)}
            part={part}
            at={at}
            turn={turn}
            live={live && (at === turn.parts.length - 1 || part.kind !== "text")}
            sources={sources}
          />
        ))}
        {live && <Doing turn={turn} />}
        {!live && sources.size > 0 && <Sources sources={sources} id={turn.runId} />}
        {turn.facts.length > 0 && <Facts facts={turn.facts} id={turn.runId} />}
        <Ending turn={turn} />
      </div>
    </>
  );
});

interface PartProps {
  readonly part: Part;
  readonly at: number;
  readonly turn: Turn;
  readonly live: boolean;
  readonly sources: ReadonlyMap<string, Source>;
}

function PartView({ part, at, turn, live, sources }: PartProps) {
  const { runId } = turn;
  switch (part.kind) {
    case "text":
      return (
        <Markdown text={part.text} live={isLive(turn)} sources={sources} named={turn.offline} />
      );
    case "thinking":
      return (
        <Thinking part={part} id={`${runId} ${at}`} now={live && at === turn.parts.length - 1} />
      );
    case "tool":
      return isListed(part) || part.delegated ? null : (
        <ToolCard part={part} live={live} runId={runId} />
      );
    case "edit":
      return <EditCard part={part} runId={runId} undone={turn.undone} />;
    case "todo":
      return <TodoList steps={part.steps} runId={runId} />;
    case "plan":
      return <PlanList tasks={part.tasks} runId={runId} />;
    case "agent":
      return <AgentCard part={part} live={live} runId={runId} />;
    case "notice":
      return (
        <p class="notice">
          <Icon name="info" />{" "}
          <span>
            <Shown text={part.message} kind="text" />
          </span>
        </p>
      );
  }
}

/** A call that only changed the list of steps, which is shown itself. */
function isListed({ tool, finished }: ToolPart): boolean {
  return tool === "Todo" && finished?.error !== true;
}

function keyOf(part: Part, at: number): string {
  return part.kind === "tool" ? part.callId : `${part.kind} ${at}`;
}

/** What goes on just now; nothing where the newest part shows it itself. */
function Doing({ turn }: { turn: Turn }) {
  const last = turn.parts.at(-1);
  const shown =
    turn.state === null &&
    (last?.kind === "thinking" ||
      ((last?.kind === "tool" || last?.kind === "agent") && !last.finished));
  const stops = stopping.value === turn.runId;
  if (!stops && (shown || asks.value.length > 0)) {
    return null;
  }
  const words = turn.state
    ? inWords(turn.state.name)
    : last?.kind === "text"
      ? "Writing"
      : "Working";
  return (
    <p class="doing-line">
      <Icon name="loading" spin />
      <span>{stops ? "Stopping" : words}</span>
      {turn.state?.detail && (
        <span class="tool-summary">
          <Shown text={turn.state.detail} />
        </span>
      )}
    </p>
  );
}

/** `CLARIFYING` as `Clarifying`. */
function inWords(state: string): string {
  return state.charAt(0) + state.slice(1).toLowerCase();
}
