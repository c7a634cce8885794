// Above the input, what must stay in sight: what waits for an answer and has scrolled away, the tasks
// and steps of a run that works, and commands in the background.

import { plural } from "../../src/commands/markdown.ts";
import type { Step } from "../../src/plan-steps.ts";
import { summaryOf } from "../../src/shown.ts";
import { ACTS, type BackgroundJob } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { Steps } from "../parts/lists.tsx";
import type { Part } from "../state/model.ts";
import { away, jobs, listing, live, seek } from "../store.ts";
import { Fold, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** All of them. */
export function Strips() {
  const running = jobs.value.filter(({ outcome }) => outcome === "");
  const lists = live.value?.parts.flatMap(listed).filter(({ steps }) => steps.length > 0) ?? [];
  const waiting = listing.value ? [] : [...away.value];
  if (running.length + lists.length + waiting.length === 0) {
    return null;
  }
  return (
    <section class="strips" aria-label="In progress">
      {running.length > 0 && <Jobs running={running} />}
      {lists.map((list) => (
        <Now key={list.kind} {...list} />
      ))}
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

/** Tasks of the plan, or steps of the model's own. */
interface List {
  readonly kind: "plan" | "todo";
  readonly steps: readonly Step[];
}

function listed(part: Part): List[] {
  switch (part.kind) {
    case "todo":
      return [{ kind: "todo", steps: part.steps }];
    case "plan":
      return [
        {
          kind: "plan",
          steps: part.tasks.map(({ id, description, state }) => {
            return { text: `${id}. ${description}`, state };
          }),
        },
      ];
    default:
      return [];
  }
}

/** The step that is at work and its place, else how many are over. */
function Now({ kind, steps }: List) {
  const failed = steps.filter(({ state }) => state === "failed").length;
  const over = failed + steps.filter(({ state }) => state === "done").length;
  const done = `${over} of ${steps.length} done${failed ? `, ${failed} of them failed` : ""}`;
  const place = steps.findIndex(({ state }) => state === "active");
  const now = steps[place];
  return (
    <Fold
      id={`strip ${kind}`}
      name="strip"
      head={
        <>
          <Icon name={kind === "plan" ? "list-tree" : "checklist"} />
          <span class="strip-words">
            {now ? `${place + 1} of ${steps.length}: ` : done}
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
                label={`${ACTS.stop} job ${job}`}
                act={() => tell({ type: "stopJob", job })}
              />
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
