// A plan that waits for the user's word: started in a mode, changed in words, or left.

import { useState } from "preact/hooks";
import { ACTS, type Mode } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { MODES } from "../modes.ts";
import { isLive, type Turn } from "../state/model.ts";
import { receive, situation, turns } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { useWritten } from "../written.ts";
import { AskCard, byDigits, Key, keyOf } from "./ask-card.tsx";

const STARTS = MODES.filter(({ id }) => id !== "plan");

/** Below the last turn, if that ended with a plan that the user has not left. */
export function PlanCard() {
  const last = turns.value.at(-1);
  return last && last.stop === "planned" && !isLive(last) && !situation.value.planLeft ? (
    <Card key={last.runId} turn={last} />
  ) : null;
}

function Card({ turn }: { turn: Turn }) {
  const [words, setWords] = useWritten<string>(turn.runId, "words", "");
  const [settled, setSettled] = useState(false);
  const { trusted } = situation.value;
  if (settled) {
    return null;
  }
  const start = (mode: Mode) => {
    setSettled(true);
    tell({ type: "startPlan", mode });
  };
  const leave = () => {
    tell({ type: "leavePlan" });
    receive({ type: "situation", situation: { ...situation.value, planLeft: true } });
  };
  const change = () => {
    if (words.trim() !== "") {
      tell({ type: "changePlan", words: words.trim() });
    }
  };
  return (
    <AskCard
      id={turn.runId}
      name="plan-card"
      label="Start this plan?"
      keys={
        trusted
          ? byDigits(
              STARTS.map(
                ({ id }) =>
                  () =>
                    start(id),
              ),
            )
          : {}
      }
    >
      <div class="card-head">
        <Icon name="checklist" tone="accent" />
        <strong>Start this plan?</strong>
        <IconButton
          icon="edit"
          label="Edit the plan"
          act={() => tell({ type: "command", command: "glossator.showPlan" })}
        />
        <IconButton icon="close" label={ACTS.leave} act={leave} />
      </div>
      {trusted ? (
        <fieldset class="options" aria-label="How to start">
          {STARTS.map(({ id, label, detail }, at) => (
            <button
              key={id}
              type="button"
              class="option"
              aria-keyshortcuts={keyOf(at)}
              onClick={() => start(id)}
            >
              <span>
                {ACTS.start} {label}
                <Key name={at + 1} />
              </span>
              <span class="option-detail">{detail}</span>
            </button>
          ))}
        </fieldset>
      ) : (
        <p class="notice">Nothing may be changed before you trust this workspace.</p>
      )}
      <form
        class="own"
        onSubmit={(event) => {
          event.preventDefault();
          change();
        }}
      >
        <input
          class="field"
          aria-label="Or say what to change"
          placeholder="Or say what to change"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <vscode-button disabled={words.trim() === ""} onClick={change}>
          Change
        </vscode-button>
      </form>
    </AskCard>
  );
}
