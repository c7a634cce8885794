// The model's list of steps, and the orchestrator's plan.

import type { ComponentChildren } from "preact";
import type { Step } from "../../src/plan-steps.ts";
import type { PlannedTask, TaskState, Todo } from "../../src/wire.ts";
import { Markdown } from "../markdown/view.tsx";
import { placeOf, rewritten } from "../state/cites.ts";
import type { AgentPart } from "../state/model.ts";
import type { Source } from "../state/sources.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";
import { Words } from "../ui/words.tsx";
import { AgentCard } from "./agent-card.tsx";

const LOOKS: Readonly<
  Record<TaskState, { readonly icon: IconName; readonly tone: string; readonly words: string }>
> = {
  pending: { icon: "circle-large", tone: "faint", words: "to do" },
  active: { icon: "arrow-right", tone: "accent", words: "now" },
  done: { icon: "pass-filled", tone: "good", words: "done" },
  failed: { icon: "error", tone: "bad", words: "failed" },
};

/** The steps, each with its state. */
export const TodoList = memo(({ steps, runId }: { steps: readonly Todo[]; runId: string }) => (
  <Fold
    id={`${runId} todo`}
    open
    name="card list"
    head={<Head icon="checklist" title="Steps" states={steps.map(({ state }) => state)} />}
  >
    {() => <Steps steps={steps} />}
  </Fold>
));

/** The steps alone. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol>
      {steps.map(({ text, state }) => (
        <Entry key={text} text={text} state={state} />
      ))}
    </ol>
  );
}

const NO_SOURCES: ReadonlyMap<string, Source> = new Map();

/** The fold of a run's plan, and of the result of one of its tasks. */
export function planFold(runId: string): string {
  return `${runId} plan`;
}
export function taskFold(runId: string, id: string): string {
  return `${runId} task ${id}`;
}

/** The sub-agents that work on tasks, by the description of the task. */
export type PlannedAgents = ReadonlyMap<string, readonly AgentPart[]>;

interface PlanProps {
  readonly tasks: readonly PlannedTask[];
  readonly agents: PlannedAgents;
  readonly live: boolean;
  readonly runId: string;
}

/** The tasks, each with its state, what it builds on, and who works on it or what came of it. */
export const PlanList = memo(({ tasks, agents, live, runId }: PlanProps) => (
  <Fold
    id={planFold(runId)}
    open
    name="card list"
    head={<Head icon="list-tree" title="Plan" states={tasks.map(({ state }) => state)} />}
  >
    {() => (
      <ol>
        {tasks.map((task) => (
          <TaskEntry
            key={task.id}
            task={task}
            agents={agents.get(task.description) ?? []}
            live={live}
            runId={runId}
          />
        ))}
      </ol>
    )}
  </Fold>
));

interface TaskProps extends Omit<PlanProps, "tasks" | "agents"> {
  readonly task: PlannedTask;
  readonly agents: readonly AgentPart[];
}

function TaskEntry({ task, agents, live, runId }: TaskProps) {
  const { id, description, dependencies, state, result } = task;
  const after = dependencies.length > 0 ? `builds on ${dependencies.join(", ")}` : "";
  const failed = state === "failed";
  const fold = taskFold(runId, id);
  const last = agents.at(-1);
  return (
    <Entry
      text={`${id}. ${description}`}
      state={state}
      more={[after, failed ? result : ""].filter(Boolean).join(". ")}
    >
      {agents.map((agent) => (
        <AgentCard
          key={agent.agentId}
          part={agent}
          live={live}
          id={agent === last ? fold : `${runId} ${agent.agentId}`}
          planned
        />
      ))}
      {!last && result && !failed && (
        <Fold id={fold} name="task-result" head={<span>Result</span>}>
          {() => <Markdown text={withPlaces(result)} live={false} sources={NO_SOURCES} />}
        </Fold>
      )}
    </Entry>
  );
}

/** A result's citations are judged where the answer uses it: here they are places. */
function withPlaces(result: string): string {
  return rewritten(result, (mark) => `(\`${placeOf(mark)}\`)`);
}

function Head({
  icon,
  title,
  states,
}: {
  icon: IconName;
  title: string;
  states: readonly TaskState[];
}) {
  const done = states.filter((state) => state === "done").length;
  return (
    <>
      <Icon name={icon} />
      <span>{title}</span>
      <span class="list-count">
        {done} of {states.length} done
      </span>
    </>
  );
}

interface EntryProps {
  readonly text: string;
  readonly state: TaskState;
  readonly more?: string;
  readonly children?: ComponentChildren;
}

function Entry({ text, state, more = "", children }: EntryProps) {
  const { icon, tone, words } = LOOKS[state];
  return (
    <li class={state}>
      <Icon name={icon} tone={tone} />
      <span>
        <span class="unseen">{words}: </span>
        <Words text={text} />
        {more && (
          <span class="entry-more">
            <Shown text={more} />
          </span>
        )}
        {children}
      </span>
    </li>
  );
}
