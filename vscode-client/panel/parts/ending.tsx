// How a turn ended: an error with a way on, what stopped it short, what it took, and what to do next.

import { plural } from "../../src/commands/markdown.ts";
import { ACTS, BECAME, type RunFigures, type UnsavedFile, type Usage } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { forPasting } from "../markdown/citation.ts";
import { count, duration, price, sent } from "../state/figures.ts";
import { isLive, type Turn } from "../state/model.ts";
import { sourcesOf } from "../state/sources.ts";
import { ask, edit, fixed, over, unsaved } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { ChangedFiles } from "./changed-files.tsx";

/** Why an answer may not be whole, by the wire's `stop`. */
const STOPS: Readonly<Record<string, string>> = {
  turns: "It stopped at the limit of model replies for one question. Ask it to go on.",
  tokens: "It stopped at the limit of tokens for one question. Ask it to go on.",
  money: "It stopped at the limit of cost for one question. Ask it to go on.",
  time: "It stopped at the limit of time for one question. Ask it to go on.",
  repetition: "It stopped because it was repeating itself. Put the question another way.",
  hook: "A hook of yours ended it; the answer may be incomplete.",
  refused: "The model declined to answer. Put the question another way.",
  "cut off": "The answer was cut off at the model's limit. Ask it to go on.",
  "context full": "The conversation is too long for the model. Compact it, or begin a new one.",
};

const KEY = /api[ _-]?key|credentials/i;

/** What is shown below a turn that is over. */
export function Ending({ turn }: { turn: Turn }) {
  if (isLive(turn)) {
    return null;
  }
  const stopped = turn.phase === "finished" ? STOPS[turn.stop] : undefined;
  return (
    <>
      {turn.phase === "failed" && <Failure turn={turn} />}
      {turn.phase === "cancelled" && (
        <p class="notice">
          <Icon name="circle-slash" />{" "}
          <Shown
            text={turn.message ? BECAME.continued.replace("{}", turn.message) : BECAME.stopped}
          />{" "}
          {BECAME.kept}
        </p>
      )}
      {stopped && (
        <p class="notice warn">
          <Icon name="warning" /> {stopped}
        </p>
      )}
      {turn.undone && (
        <p class="notice warn">
          <Icon name="discard" />
          <span>
            Undone: what this turn changed in your files was taken back.{" "}
            <button type="button" class="link" disabled={fixed.value} onClick={() => redo(turn)}>
              {ACTS.redo}
            </button>
          </span>
        </p>
      )}
      {!turn.undone && <Unsaved runId={turn.runId} />}
      <ChangedFiles turn={turn} />
      <Foot turn={turn} />
    </>
  );
}

/** The edited files that are not on disk as they were edited, and what to do about it. */
function Unsaved({ runId }: { runId: string }) {
  const files = unsaved.value.filter((each) => each.runId === runId);
  const gone = files.filter((each) => each.gone);
  const left = files.filter((each) => !each.gone);
  const uris = left.map(({ uri }) => uri);
  return (
    <>
      {left.length > 0 && (
        <p class="notice warn">
          <Icon name="warning" />
          <span>
            Not saved in the editor: <Names files={left} />.{" "}
            <button type="button" class="link" onClick={() => tell({ type: "save", uris })}>
              Save
            </button>
          </span>
        </p>
      )}
      {gone.length > 0 && (
        <p class="notice warn">
          <Icon name="warning" />
          <span>
            Gone: <Names files={gone} /> was closed or reverted without being saved, so what this
            turn changed there is lost. Ask again to have it made again.
          </span>
        </p>
      )}
    </>
  );
}

function Names({ files }: { files: readonly UnsavedFile[] }) {
  return <Shown text={files.map(({ path }) => path).join(", ")} />;
}

function Failure({ turn }: { turn: Turn }) {
  return (
    <div class="failure" role="alert">
      <Icon name="error" tone="bad" />
      <div>
        <p>
          <Shown
            text={turn.message || "The run failed. The output of Glossator says more."}
            kind="text"
          />
        </p>
        <div class="buttons">
          {!over.value && (
            <vscode-button disabled={fixed.value} onClick={() => again(turn)}>
              Try again
            </vscode-button>
          )}
          {KEY.test(turn.message) && (
            <vscode-button
              secondary
              onClick={() => tell({ type: "command", command: "glossator.setApiKey" })}
            >
              Set API key
            </vscode-button>
          )}
          <vscode-button
            secondary
            onClick={() => tell({ type: "command", command: "glossator.showOutput" })}
          >
            Show output
          </vscode-button>
        </div>
      </div>
    </div>
  );
}

function Foot({ turn }: { turn: Turn }) {
  const answer = answerOf(turn);
  const edited =
    turn.changed !== null ||
    turn.parts.some((part) => part.kind === "edit" && part.settled?.applied);
  const busy = fixed.value;
  return (
    <div class="foot">
      <span class="figures" title={details(turn)}>
        {figuresOf(turn)}
      </span>
      <span class="foot-buttons">
        {edited && turn.undone && (
          <IconButton
            icon="redo"
            label={`${ACTS.redo} this turn's edits`}
            disabled={busy}
            act={() => redo(turn)}
          />
        )}
        {edited && !turn.undone && turn.changed === null && (
          <IconButton
            icon="discard"
            label={`${ACTS.undo} this turn's edits`}
            disabled={busy}
            act={() => tell({ type: "undoTurn", runId: turn.runId })}
          />
        )}
        <IconButton
          icon="edit"
          label="Edit the question and ask again"
          disabled={busy || turn.partial}
          act={() => edit(turn)}
        />
        <IconButton
          icon="refresh"
          label="Ask again"
          disabled={busy || turn.partial}
          act={() => again(turn)}
        />
        <IconButton
          icon="copy"
          label="Copy the answer"
          disabled={answer === ""}
          act={() => tell({ type: "copy", text: copied(turn) })}
        />
      </span>
    </div>
  );
}

function redo({ runId }: Turn): void {
  tell({ type: "redoTurn", runId });
}

function again(turn: Turn): void {
  ask(turn.question, turn.chips, turn.runId);
}

function copied(turn: Turn): string {
  const last = turn.parts.findLast((part) => part.kind === "text");
  return forPasting(answerOf(turn), sourcesOf(turn), last?.reply ?? 0);
}

function answerOf(turn: Turn): string {
  const last = turn.parts.findLast((part) => part.kind === "text");
  return turn.answer?.text ?? last?.text ?? "";
}

/** With what sub-agents took, once that is known. */
function taken(turn: Turn): Usage {
  return known(turn)?.usage ?? turn.usage;
}

/** What it took: as its answer says, or as the server has kept it. */
function known({ answer, figures }: Turn): Omit<RunFigures, "runId"> | null {
  return answer ?? figures;
}

function figuresOf(turn: Turn): string {
  const answer = known(turn);
  if (turn.offline) {
    return ["offline", ...(answer ? [duration(answer.milliseconds)] : [])].join(" · ");
  }
  const usage = taken(turn);
  const tokens = sent(usage) + usage.outputTokens;
  return [
    ...(tokens > 0 ? [`${count(tokens)} tokens`] : []),
    ...(answer?.dollars == null ? [] : [price(answer.dollars)]),
    ...(answer ? [duration(answer.milliseconds)] : []),
  ].join(" · ");
}

function details(turn: Turn): string {
  const answer = known(turn);
  const usage = taken(turn);
  if (turn.offline) {
    return "Extracts from your files; no model was asked.";
  }
  const lines = [
    turn.model,
    `sent ${count(sent(usage))} tokens (${count(usage.cacheReadTokens)} from the cache), received ${count(usage.outputTokens)}`,
    ...(answer ? [plural(answer.turns, "request")] : []),
    ...(answer?.sessionDollars == null ? [] : [`session so far: ${price(answer.sessionDollars)}`]),
  ];
  return lines.filter(Boolean).join("\n");
}
