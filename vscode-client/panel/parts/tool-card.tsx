// A tool call: one line while folded, all that is known of it when open.

import { shown } from "../../src/shown.ts";
import { ofTool, toolName } from "../../src/tools.ts";
import type { FoundPlace } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { oneLine, placeOf } from "../state/calls.ts";
import { duration } from "../state/figures.ts";
import type { ToolPart } from "../state/model.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";
import { ToolOutput } from "./tool-output.tsx";

interface Props {
  readonly part: ToolPart;
  /** Its run goes on; otherwise a call without an end was left unfinished. */
  readonly live: boolean;
  readonly runId: string;
}

const ICON_OF: Readonly<Record<string, IconName>> = {
  Glob: "folder",
  Grep: "search",
  Search: "search",
  Read: "file-code",
  Symbols: "symbol-method",
  Diagnostics: "warning",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Write: "edit",
  Bash: "terminal",
  Todo: "checklist",
  AskUser: "question",
  Explore: "robot",
  Fork: "robot",
};

/** The card of a call. */
export const ToolCard = memo(({ part, live, runId }: Props) => {
  const { tool, finished, callId } = part;
  const said = finished?.summary ?? (live ? newest(part.output?.text ?? "") : "not finished");
  return (
    <Fold
      id={`${runId} ${callId}`}
      name={`tool ${finished?.error || finished?.unsuccessful ? "failed" : ""}`}
      head={
        <>
          <State part={part} live={live} />
          <span class="tool-name">{shown(toolName(tool))}</span>
          <span class="tool-arguments">
            <Shown text={part.about || oneLine(part.arguments)} />
          </span>
          <span class="tool-summary">
            <Shown text={said} />
          </span>
          {finished && <span class="tool-time">{duration(finished.milliseconds)}</span>}
        </>
      }
    >
      {() => <Details part={part} said={finished ? said : ""} live={live} />}
    </Fold>
  );
});

/** The last line. */
function newest(output: string): string {
  const text = output.trimEnd();
  return text.slice(text.lastIndexOf("\n") + 1);
}

function State({ part, live }: { part: ToolPart; live: boolean }) {
  if (part.finished?.error) {
    return (
      <>
        <Icon name="error" tone="bad" />
        <span class="unseen">failed: </span>
      </>
    );
  }
  if (part.finished?.unsuccessful) {
    return (
      <>
        <Icon name="error" tone="bad" />
        <span class="unseen">ended badly: </span>
      </>
    );
  }
  if (!part.finished && live) {
    return (
      <>
        <Icon name="loading" spin />
        <span class="unseen">running: </span>
      </>
    );
  }
  return <Icon name={ofTool(ICON_OF, part.tool) ?? "tools"} tone={part.finished ? "" : "faint"} />;
}

function Details({ part, said, live }: { part: ToolPart; said: string; live: boolean }) {
  const place = placeOf(part.arguments);
  const { finished } = part;
  return (
    <>
      <dl class="arguments">
        {Object.entries(part.arguments).map(([name, value]) => (
          <div key={name}>
            <dt>{shown(name)}</dt>
            <dd>
              <Shown
                text={typeof value === "string" ? value : JSON.stringify(value, null, 1)}
                kind="text"
              />
            </dd>
          </div>
        ))}
      </dl>
      {said && (
        <p class="result">
          <Shown text={said} kind="text" />
        </p>
      )}
      <ToolOutput part={part} live={live} />
      {finished !== null && finished.places.length > 0 && <Places places={finished.places} />}
      {place && (
        <button type="button" class="link" onClick={() => tell({ type: "openPath", ...place })}>
          <Icon name="go-to-file" /> Open <Shown text={place.path} />
        </button>
      )}
    </>
  );
}

/** What a call found; each opens at its lines. */
function Places({ places }: { places: readonly FoundPlace[] }) {
  return (
    <ol class="places">
      {places.map(({ path, firstLine, lastLine, context }) => (
        <li key={`${path}:${firstLine}`}>
          <button
            type="button"
            class="link"
            onClick={() => tell({ type: "openPath", path, line: firstLine, lastLine })}
          >
            <Shown text={path} />
            {`:${firstLine === lastLine ? firstLine : `${firstLine}-${lastLine}`}`}
          </button>
          {context && (
            <span class="place-context">
              <Shown text={context} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
