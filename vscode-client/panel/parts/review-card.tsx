// An edit that waits for the user: each hunk is taken or left, then the choice is sent.

import { useState } from "preact/hooks";
import { shown } from "../../src/shown.ts";
import type { EditPlan } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { shiftsOf } from "../state/diff.ts";
import { plural } from "../state/figures.ts";
import { receive } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { AskCard } from "./ask-card.tsx";
import { HunkView } from "./hunk.tsx";

/** The card; `id` is the ask's. */
export function ReviewCard({ id, plan }: { id: string; plan: EditPlan }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState("");
  const shifts = shiftsOf(plan.hunks);
  const all = plan.hunks.length;
  const taken = plan.hunks.filter((hunk) => !left.has(hunk.id)).map((hunk) => hunk.id);

  const answer = (accepted: readonly string[]) => {
    const words = accepted.length < all && message.trim() ? { message: message.trim() } : {};
    tell({ type: "reviewAnswer", id, answer: { accepted, ...words } });
    receive({ type: "answered", id });
  };
  const put = (hunk: string, out: boolean) =>
    setLeft(new Set(out ? [...left, hunk] : [...left].filter((each) => each !== hunk)));

  return (
    <AskCard id={id} name="review" label={`Review: ${shown(plan.label)}`}>
      <div class="card-head">
        <Icon name="git-compare" tone="accent" />
        <strong>
          <Shown text={plan.label} />
        </strong>
        <IconButton icon="diff" label="Open diff" act={() => tell({ type: "openDiff", plan })} />
      </div>
      {plan.hunks.map((hunk, at) => (
        <HunkView
          key={hunk.id}
          hunk={hunk}
          shift={shifts.get(hunk.id) ?? 0}
          id={id}
          left={left.has(hunk.id)}
          aside={
            all > 1 && (
              <fieldset class="choose" aria-label={`Part ${at + 1} of ${all}`}>
                <IconButton
                  icon="check"
                  tone="take"
                  label={`Accept part ${at + 1}`}
                  pressed={!left.has(hunk.id)}
                  act={() => put(hunk.id, false)}
                />
                <IconButton
                  icon="close"
                  tone="leave"
                  label={`Reject part ${at + 1}`}
                  pressed={left.has(hunk.id)}
                  act={() => put(hunk.id, true)}
                />
              </fieldset>
            )
          }
        />
      ))}
      {taken.length < all && (
        <input
          class="field"
          aria-label="What to tell the model about what you leave out"
          placeholder="Say why (optional)"
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
        />
      )}
      <div class="buttons">
        <vscode-button disabled={taken.length === 0} onClick={() => answer(taken)}>
          {taken.length === all
            ? all > 1
              ? `Accept all ${all}`
              : "Accept"
            : `Accept ${taken.length} of ${plural(all, "part")}`}
        </vscode-button>
        <vscode-button secondary onClick={() => answer([])}>
          {all > 1 ? "Reject all" : "Reject"}
        </vscode-button>
      </div>
    </AskCard>
  );
}
