// A sub-agent: what it does now, and once it is done, what it found.

import { plural } from "../../src/commands/markdown.ts";
import { shown } from "../../src/shown.ts";
import { ACTS } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { Markdown } from "../markdown/view.tsx";
import { count, duration } from "../state/figures.ts";
import type { AgentPart } from "../state/model.ts";
import { sourcesOfText } from "../state/sources.ts";
import { Fold, IconButton, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Words } from "../ui/words.tsx";
import { Elapsed } from "./elapsed.tsx";

interface Props {
  readonly part: AgentPart;
  readonly live: boolean;
  /** Its fold. */
  readonly id: string;
  /** It works on a task of the plan, whose entry says what it does. */
  readonly planned?: boolean;
}

/** The card of a sub-agent. */
export const AgentCard = memo(({ part, live, id, planned = false }: Props) => {
  const { finished } = part;
  const running = live && !finished;
  return (
    <Fold
      id={id}
      name={`agent ${planned ? "task-result" : "card"}`}
      head={<Head part={part} running={running} planned={planned} />}
      aside={
        running && (
          <IconButton
            icon="debug-stop"
            label={`${ACTS.stop} ${shown(part.name)}; what it has found is reported`}
            act={() => tell({ type: "stopAgent", agentId: part.agentId })}
          />
        )
      }
    >
      {() => (
        <>
          {!planned && (
            <p class="agent-task">
              <Words text={part.task} />
            </p>
          )}
          {part.model && <p class="agent-model">{part.model}</p>}
          {finished && (
            <>
              <Markdown
                text={finished.summary}
                live={false}
                sources={sourcesOfText(finished.summary, finished.citations)}
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

interface HeadProps {
  readonly part: AgentPart;
  readonly running: boolean;
  readonly planned: boolean;
}

function Head({ part, running, planned }: HeadProps) {
  const { finished } = part;
  return (
    <span class="agent-head">
      <span class="agent-line">
        {running ? (
          <Icon name="loading" spin />
        ) : (
          <Icon name={finished?.error ? "error" : "robot"} tone={finished?.error ? "bad" : ""} />
        )}
        <span class="tool-name">{shown(part.name)}</span>
        {planned ? (
          <Figures part={part} running={running} />
        ) : (
          <span class="tool-arguments">
            <Words text={part.task} />
          </span>
        )}
      </span>
      <span class="agent-figures">
        {running && part.doing && <span class="doing">{shown(part.doing)}</span>}
        {!(running || finished) && <span>not finished</span>}
        {finished?.partial && <span class="partial">partial: {shown(finished.partial)}</span>}
        {!planned && <Figures part={part} running={running} />}
      </span>
    </span>
  );
}

/** What it took so far. */
function Figures({ part, running }: { part: AgentPart; running: boolean }) {
  const { toolCalls, tokens, finished } = part;
  const figures = [
    ...(toolCalls > 0 ? [plural(toolCalls, "call")] : []),
    `${count(tokens)} tokens`,
    ...(finished ? [duration(finished.milliseconds)] : []),
  ];
  return (
    <span class="figures">
      {figures.join(" · ")}
      {running && <Elapsed since={part.beganAt} />}
    </span>
  );
}
