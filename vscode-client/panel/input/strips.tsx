// Above the input, what must stay in sight: what waits for an answer and has scrolled away, the steps
// of a run that works, and commands in the background.

import { plural } from "../../src/commands/markdown.ts";
import { summaryOf } from "../../src/shown.ts";
import type { BackgroundJob, Todo } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { Steps } from "../parts/lists.tsx";
import { away, jobs, listing, live, seek } from "../store.ts";
import { Fold, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** All of them. */
export function Strips() {
  const running = jobs.value.filter(({ outcome }) => outcome === "");
  const todo = live.value?.parts.findLast((part) => part.kind === "todo");
  const waiting = listing.value ? [] : [...away.value];
  const hasSteps = todo !== undefined && todo.steps.length > 0;
  if (running.length === 0 && !hasSteps && waiting.length === 0) {
    return null;
  }
  return (
    <section class="strips" aria-label="In progress">
      {running.length > 0 && <Jobs running={running} />}
      {hasSteps && <Now steps={todo.steps} />}
      {waiting.map(([id, label]) => (
        <Waiting key={id} id={id} label={label} />
      ))}
    </section>
  );
}

function Waiting({ id, label }: { id: string; label: string }) {
  return (
    <button type="button" class="strip waiting" onClick={() => seek(id)}>
      <Icon name="bell-dot" tone="mixed" />
      <span class="strip-words">{summaryOf(label)}</span>
      <span class="link">Go there</span>
    </button>
  );
}

/** The step that is at work, and how many are done before it. */
function Now({ steps }: { steps: readonly Todo[] }) {
  const done = steps.filter(({ state }) => state === "done").length;
  const now = steps.find(({ state }) => state === "active");
  const number = Math.min(done + 1, steps.length);
  return (
    <Fold
      id="strip todo"
      name="strip"
      head={
        <>
          <Icon name="checklist" />
          <span class="strip-words">
            {now ? `${number} of ${steps.length}: ` : `${done} of ${steps.length} done`}
            {now && <Shown text={now.text} />}
          </span>
        </>
      }
    >
      {() => <Steps steps={steps} />}
    </Fold>
  );
}

function Jobs({ running }: { running: readonly BackgroundJob[] }) {
  return (
    <Fold
      id="strip jobs"
      name="strip"
      head={
        <>
          <Icon name="server-process" />
          <span class="strip-words">{plural(running.length, "command")} in the background</span>
        </>
      }
    >
      {() => (
        <ul class="jobs">
          {running.map(({ job, command }) => (
            <li key={job}>
              <code>
                <Shown text={command} />
              </code>
              <IconButton
                icon="output"
                label={`Output of job ${job}`}
                act={() => tell({ type: "showJob", job })}
              />
              <IconButton
                icon="debug-stop"
                label={`Stop job ${job}`}
                act={() => tell({ type: "stopJob", job })}
              />
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
