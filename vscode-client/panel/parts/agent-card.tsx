// A sub-agent: what it does now, and once it is done, what it found.

import { shown } from "../../src/shown.ts";
import { tell } from "../host.ts";
import { Markdown } from "../markdown/view.tsx";
import { sourcesIn } from "../state/cites.ts";
import { count, duration, plural } from "../state/figures.ts";
import type { AgentPart } from "../state/model.ts";
import { Fold, IconButton, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Words } from "../ui/words.tsx";
import { Elapsed } from "./elapsed.tsx";

interface Props {
  readonly part: AgentPart;
  readonly live: boolean;
  readonly runId: string;
}

/** The card of a sub-agent. */
export const AgentCard = memo(({ part, live, runId }: Props) => {
  const { finished } = part;
  const running = live && !finished;
  return (
    <Fold
      id={`${runId} ${part.agentId}`}
      name="card agent"
      head={<Head part={part} running={running} />}
      aside={
        running && (
          <IconButton
            icon="debug-stop"
            label={`Stop ${shown(part.name)}; what it has found is reported`}
            act={() => tell({ type: "stopAgent", agentId: part.agentId })}
          />
        )
      }
    >
      {() => (
        <>
          <p class="agent-task">
            <Words text={part.task} />
          </p>
          {part.model && <p class="agent-model">{part.model}</p>}
          {finished && (
            <>
              <Markdown
                text={finished.summary}
                live={false}
                sources={sourcesIn([finished.summary], finished.citations)}
              />
              <button
                type="button"
                class="link"
                onClick={() => tell({ type: "showAgent", agentId: part.agentId })}
              >
                Show what it did
              </button>
            </>
          )}
        </>
      )}
    </Fold>
  );
});

function Head({ part, running }: { part: AgentPart; running: boolean }) {
  const { finished } = part;
  const figures = [
    plural(part.toolCalls, "call"),
    `${count(part.tokens)} tokens`,
    ...(finished ? [duration(finished.milliseconds)] : []),
  ];
  return (
    <span class="agent-head">
      <span class="agent-line">
        {running ? (
          <Icon name="loading" spin />
        ) : (
          <Icon name={finished?.error ? "error" : "robot"} tone={finished?.error ? "bad" : ""} />
        )}
        <span class="tool-name">{shown(part.name)}</span>
        <span class="tool-arguments">
          <Words text={part.task} />
        </span>
      </span>
      <span class="agent-figures">
        {running && part.doing && <span class="doing">{shown(part.doing)}</span>}
        {!(running || finished) && <span>not finished</span>}
        {finished?.partial && <span class="partial">partial: {shown(finished.partial)}</span>}
        <span>
          {figures.join(" · ")}
          {running && <Elapsed since={part.beganAt} />}
        </span>
      </span>
    </span>
  );
}
