// The model's list of steps, and the orchestrator's plan.

import type { Todo } from "../../src/wire.ts";
import type { Task } from "../later.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";
import { Words } from "../ui/words.tsx";

type State = Task["state"];

const LOOKS: Readonly<
  Record<State, { readonly icon: IconName; readonly tone: string; readonly words: string }>
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
    {() => (
      <ol>
        {steps.map(({ text, state }) => (
          <Entry key={text} text={text} state={state} />
        ))}
      </ol>
    )}
  </Fold>
));

/** The tasks, each with its state, what it waits for, and its result. */
export const PlanList = memo(({ tasks, runId }: { tasks: readonly Task[]; runId: string }) => (
  <Fold
    id={`${runId} plan`}
    open
    name="card list"
    head={<Head icon="list-tree" title="Plan" states={tasks.map(({ state }) => state)} />}
  >
    {() => (
      <ol>
        {tasks.map(({ id, text, state, after, result }) => (
          <Entry
            key={id}
            text={`${id}. ${text}`}
            state={state}
            more={
              result || (after.length > 0 && state === "pending" ? `after ${after.join(", ")}` : "")
            }
          />
        ))}
      </ol>
    )}
  </Fold>
));

function Head({
  icon,
  title,
  states,
}: {
  icon: IconName;
  title: string;
  states: readonly State[];
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

function Entry({ text, state, more = "" }: { text: string; state: State; more?: string }) {
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
      </span>
    </li>
  );
}
