// A question and what came of it, from top to bottom.

import { useMemo } from "preact/hooks";
import { chipKey } from "../../src/panel/attached.ts";
import type { Chip } from "../../src/panel/messages.ts";
import { DOING, type RunState } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { Markdown } from "../markdown/view.tsx";
import { isLive, type Part, type SaidPart, type ToolPart, type Turn } from "../state/model.ts";
import { type Piece, piecesOf, type Source, sourcesOf } from "../state/sources.ts";
import { asks, folds, stopping } from "../store.ts";
import { memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { AgentCard } from "./agent-card.tsx";
import { Answered, isAnswered } from "./answered.tsx";
import { ChipView } from "./chip.tsx";
import { EditCard } from "./edit-card.tsx";
import { Ending } from "./ending.tsx";
import { PlanList, type PlannedAgents, planFold, TodoList, taskFold } from "./lists.tsx";
import { QuestionText } from "./question-text.tsx";
import { Corrections, Facts, Sources } from "./sources.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolCard } from "./tool-card.tsx";

/** The turn. */
export const TurnView = memo(({ turn }: { turn: Turn }) => {
  const sources = useMemo(() => sourcesOf(turn), [turn.parts, turn.citations, turn.undone]);
  const pieces = useMemo(() => piecesOf(turn), [turn.parts]);
  const agents = useMemo(() => plannedAgents(turn), [turn.parts]);
  const openTask = useMemo(() => (task: string) => showTask(turn, task), [turn.parts]);
  const live = isLive(turn);
  return (
    <>
      <div class="question">
        <h2 class="unseen">Question</h2>
        {turn.question && <QuestionText text={turn.shown || turn.question} id={turn.runId} />}
        {turn.partial && <p class="notice">The beginning of this turn was not received.</p>}
        <Chips chips={turn.chips} />
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
            piece={pieces.get(at)}
            agents={agents}
            openTask={openTask}
          />
        ))}
        {live && <Doing turn={turn} />}
        {!live && (sources.size > 0 || turn.uncited.length > 0) && (
          <Sources sources={sources} uncited={turn.uncited} id={turn.runId} />
        )}
        {turn.corrections.length > 0 && (
          <Corrections corrections={turn.corrections} id={turn.runId} />
        )}
        {turn.facts.length > 0 && <Facts facts={turn.facts} id={turn.runId} />}
        <Ending turn={turn} />
      </div>
    </>
  );
});

/** What was said while the run was on. */
function Said({ part, id }: { part: SaidPart; id: string }) {
  return (
    <div class="question said">
      <h3 class="unseen">You said meanwhile</h3>
      <QuestionText text={part.text} id={id} />
      <Chips chips={part.chips} />
    </div>
  );
}

function Chips({ chips }: { chips: readonly Chip[] }) {
  return chips.length === 0 ? null : (
    <div class="chips">
      {chips.map((chip) => (
        <ChipView key={chipKey(chip)} chip={chip} />
      ))}
    </div>
  );
}

interface PartProps {
  readonly part: Part;
  readonly at: number;
  readonly turn: Turn;
  readonly live: boolean;
  readonly sources: ReadonlyMap<string, Source>;
  readonly piece: Piece | undefined;
  readonly agents: PlannedAgents;
  readonly openTask: (task: string) => boolean;
}

function PartView({ part, at, turn, live, sources, piece, agents, openTask }: PartProps) {
  const { runId } = turn;
  switch (part.kind) {
    case "text":
      return (
        <Markdown
          text={part.text}
          live={isLive(turn)}
          sources={sources}
          named={turn.offline}
          piece={piece}
          uncited={turn.uncited}
          showTask={openTask}
        />
      );
    case "thinking":
      return (
        <Thinking part={part} id={`${runId} ${at}`} now={live && at === turn.parts.length - 1} />
      );
    case "tool":
      if (isAnswered(part)) {
        return <Answered part={part} />;
      }
      return isListed(part) || part.delegated || callOf(turn.parts[at + 1], part) ? null : (
        <ToolCard part={part} live={live} runId={runId} />
      );
    case "edit":
      return (
        <EditCard
          part={part}
          call={callOf(part, turn.parts[at - 1])}
          runId={runId}
          undone={turn.undone}
          changed={turn.changed}
        />
      );
    case "todo":
      return <TodoList steps={part.steps} runId={runId} />;
    case "plan":
      return <PlanList tasks={part.tasks} agents={agents} live={live} runId={runId} />;
    case "agent":
      return agents.has(part.task) ? null : (
        <AgentCard part={part} live={live} id={`${runId} ${part.agentId}`} />
      );
    case "said":
      return <Said part={part} id={`${runId} ${at}`} />;
    case "notice":
      return (
        <p class="notice">
          <Icon name="info" />{" "}
          <span>
            <Shown text={part.message} kind="text" />{" "}
            {part.about === "adoptions" && (
              <button type="button" class="link" onClick={() => tell({ type: "showSources" })}>
                Look at them
              </button>
            )}
          </span>
        </p>
      );
  }
}

/** The sub-agents that work on tasks of the plan. */
function plannedAgents({ parts }: Turn): PlannedAgents {
  const tasks = parts.flatMap((part) => (part.kind === "plan" ? part.tasks : []));
  const agents = parts.filter((part) => part.kind === "agent");
  return new Map(
    tasks.map(({ description }) => [
      description,
      agents.filter(({ task }) => task === description),
    ]),
  );
}

/** A call that only changed the list of steps, which is shown itself. */
function isListed({ tool, finished }: ToolPart): boolean {
  return tool === "Todo" && finished?.error !== true;
}

const EDITS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"]);

/** The call of an edit, which the edit's card shows: both say the same. */
function callOf(next: Part | undefined, part: Part | undefined): ToolPart | undefined {
  const isCall = part?.kind === "tool" && EDITS.has(part.tool) && part.finished?.error !== true;
  return isCall && next?.kind === "edit" ? part : undefined;
}

function keyOf(part: Part, at: number): string {
  return part.kind === "tool" ? part.callId : `${part.kind} ${at}`;
}

/** Show the result of a task, which the plan's list has; whether there is one. */
function showTask({ parts, runId }: Turn, number: string): boolean {
  const tasks = parts.find((part) => part.kind === "plan")?.tasks ?? [];
  const task = tasks.find(({ id }) => id === number) ?? tasks[Number(number) - 1];
  if (!task) {
    return false;
  }
  const [plan, result] = [planFold(runId), taskFold(runId, task.id)];
  folds.value = new Map(folds.value).set(plan, true).set(result, true);
  requestAnimationFrame(() => {
    document
      .querySelector(`[data-fold="${CSS.escape(result)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  });
  return true;
}

/** The orchestrator's states that the newest part does not show itself, and those that it may show. */
const ALONE: ReadonlySet<RunState> = new Set([
  "CLARIFYING",
  "PLANNING",
  "VERIFYING",
  "CORRECTING",
  "MEMORISING",
]);
const BESIDE: ReadonlySet<RunState> = new Set(["ANALYSING", "RETRIEVING", "EXECUTING"]);

/** Those whose detail is for people; that of the others says why they follow. */
const DETAILED: ReadonlySet<RunState> = new Set([
  "CLARIFYING",
  "EXECUTING",
  "VERIFYING",
  "CORRECTING",
  "MEMORISING",
]);

function wordsOf({ state }: Turn, states: ReadonlySet<RunState>): string | undefined {
  return state && states.has(state.name) ? DOING[state.name] : undefined;
}

/** What goes on just now; nothing where the newest part shows it itself. */
function Doing({ turn }: { turn: Turn }) {
  const last = turn.parts.at(-1);
  const alone = wordsOf(turn, ALONE);
  const shown =
    alone === undefined &&
    (last?.kind === "thinking" ||
      ((last?.kind === "tool" || last?.kind === "agent") && !last.finished));
  const stops = stopping.value === turn.runId;
  if (!stops && (shown || asks.value.length > 0)) {
    return null;
  }
  const beside = wordsOf(turn, BESIDE);
  const words = alone ?? (last?.kind === "text" ? "Writing…" : (beside ?? "Working…"));
  return (
    <p class="doing-line">
      <Icon name="loading" spin />
      <span>{stops ? "Stopping…" : words}</span>
      {turn.state?.detail && DETAILED.has(turn.state.name) && !stops && (
        <span class="tool-summary">
          <Shown text={turn.state.detail} />
        </span>
      )}
    </p>
  );
}
