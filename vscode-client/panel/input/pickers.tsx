// The mode, the model, and how full its context is.

import type { WindowLayer } from "../../src/panel/messages.ts";
import { tell } from "../host.ts";
import { MODES, PLANS } from "../modes.ts";
import { count, sent } from "../state/figures.ts";
import { apart, planning, situation, turns } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Menu } from "../ui/menu.tsx";

/** What a question is asked with. */
export function Pickers() {
  const { mode, model, models = [], offline } = situation.value;
  return (
    <div class="pickers">
      <Menu
        label="Mode"
        choices={MODES}
        chosen={mode}
        choose={(id) => {
          const found = MODES.find((each) => each.id === id);
          if (found) {
            tell({ type: "setMode", mode: found.id });
          }
        }}
        more={{
          label: "Tasks",
          choices: PLANS,
          chosen: planning.value,
          choose: (id) => {
            planning.value = PLANS.find((each) => each.id === id)?.id ?? "auto";
          },
        }}
      />
      {models.length > 0 ? (
        <Menu
          label="Model"
          choices={models}
          chosen={model}
          choose={(id) => tell({ type: "setModel", model: id })}
          same="claude-"
        />
      ) : (
        !offline && (
          <span class="model" title="Model">
            {model}
          </span>
        )
      )}
      {situation.value.sessionId === null && situation.value.trusted && (
        <IconButton
          icon="worktree"
          label="Work in a git worktree of its own: your files stay as they are until you merge"
          pressed={apart.value}
          act={() => {
            apart.value = !apart.value;
          }}
        />
      )}
      <Meter />
    </div>
  );
}

const LEAST = 6; // percent of the bar, so that every layer is seen

/** A bar for the context: how much of the model's window the newest request took, by layer. */
function Meter() {
  const last = turns.value.findLast((turn) => turn.last !== null)?.last;
  const window = situation.value.contextWindow;
  if (!(last && window) || sent(last) === 0) {
    return null;
  }
  const taken = sent(last) + last.outputTokens;
  const percent = Math.round(100 * Math.min(1, taken / window));
  const layers = layersOf(taken);
  const kinds = layers.map(({ name, tokens }) => `${name} ${count(tokens)}`).join(", ");
  const words = `Context ${percent}% full: ${count(taken)} of ${count(window)} tokens: ${kinds}`;
  let x = 0;
  return (
    <button
      type="button"
      class={`meter ${percent > 80 ? "full" : ""}`}
      title={`${words}. Show what is in it`}
      aria-label={words}
      onClick={() => tell({ type: "command", command: "glossator.showContext" })}
    >
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="meter-all" width="100" height="10" />
        {layers.map(({ name, tokens }) => {
          const width = Math.max(LEAST, Math.min(100 - x, (100 * tokens) / window));
          x += width;
          return (
            <rect key={name} class={`meter-${name}`} x={x - width} width={width - 1} height="10" />
          );
        })}
      </svg>
      <span>{percent}%</span>
    </button>
  );
}

/** What is in the window; the conversation grows while the other layers stay as they are. */
function layersOf(taken: number): readonly WindowLayer[] {
  const fixed = (situation.value.layers ?? []).filter(({ name }) => name !== "conversation");
  const rest = taken - fixed.reduce((sum, { tokens }) => sum + tokens, 0);
  const layers = [...fixed, { name: "conversation", tokens: Math.max(0, rest) }];
  return layers.filter(({ tokens }) => tokens > 0);
}
