// The mode, the model, and how full its context is.

import { tell } from "../host.ts";
import { MODES } from "../modes.ts";
import { count, sent } from "../state/figures.ts";
import { situation, turns } from "../store.ts";
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
      />
      {models.length > 0 ? (
        <Menu
          label="Model"
          choices={models}
          chosen={model}
          choose={(id) => tell({ type: "setModel", model: id })}
        />
      ) : (
        !offline && (
          <span class="model" title="Model">
            {model}
          </span>
        )
      )}
      <Meter />
    </div>
  );
}

const AROUND = 2 * Math.PI * 6; // pixels

/** A ring for the context: how much of the model's window the newest request took. */
function Meter() {
  const last = turns.value.findLast((turn) => turn.last !== null)?.last;
  const window = situation.value.contextWindow;
  if (!(last && window) || sent(last) === 0) {
    return null;
  }
  const taken = sent(last) + last.outputTokens;
  const part = Math.min(1, taken / window);
  const words = `Context: ${count(taken)} of ${count(window)} tokens (${Math.round(part * 100)}%)`;
  return (
    <button
      type="button"
      class={`meter ${part > 0.8 ? "full" : ""}`}
      title={`${words}. Show what is in it`}
      aria-label={words}
      onClick={() => tell({ type: "command", command: "glossator.showContext" })}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle class="meter-all" cx="8" cy="8" r="6" />
        <circle
          class="meter-part"
          cx="8"
          cy="8"
          r="6"
          stroke-dasharray={`${part * AROUND} ${AROUND}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      <span>{Math.round(part * 100)}%</span>
    </button>
  );
}
