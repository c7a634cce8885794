// An edit that waits for the user: each hunk is taken or left, then the choice is sent.

import { plural } from "../../src/commands/markdown.ts";
import { keptOf } from "../../src/editor/parts.ts";
import { shown } from "../../src/shown.ts";
import { ACTS, type EditPlan } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { receive } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { useWritten } from "../written.ts";
import { AskCard, byDigits, Key, type Keys } from "./ask-card.tsx";
import { ChosenHunks, WhyLeft } from "./chosen-hunks.tsx";

interface Props {
  /** The ask's. */
  readonly id: string;
  readonly plan: EditPlan;
  readonly leftOut: ReadonlySet<string>;
}

/** The card. */
export function ReviewCard({ id, plan, leftOut }: Props) {
  const [message, setMessage] = useWritten<string>(id, "message", "");
  const all = plan.hunks.length;
  const taken = keptOf(plan.hunks, leftOut).length;

  const answer = (accepted: readonly string[]) => {
    const words = taken < all && message.trim() ? { message: message.trim() } : {};
    tell({ type: "reviewAnswer", id, answer: { accepted, ...words } });
    receive({ type: "answered", id });
  };
  const accept = () => {
    if (taken > 0) {
      answer(plan.hunks.map((hunk) => hunk.id)); // those that are left out go on the way
    }
  };
  const reject = () => answer([]);
  const keys: Keys = { ...byDigits([accept, reject]), y: accept, n: reject };

  return (
    <AskCard id={id} name="review" label={`Review: ${shown(plan.label)}`} keys={keys}>
      <div class="card-head">
        <Icon name="git-compare" tone="accent" />
        <strong>
          <Shown text={plan.label} />
        </strong>
        <IconButton icon="diff" label="Open diff" act={() => tell({ type: "openAsked", id })} />
      </div>
      <ChosenHunks id={id} plan={plan} leftOut={leftOut} />
      {taken < all && <WhyLeft message={message} change={setMessage} />}
      <div class="buttons">
        <vscode-button aria-keyshortcuts="1 y" disabled={taken === 0} onClick={accept}>
          {taken === all
            ? all > 1
              ? `${ACTS.accept} all ${all}`
              : ACTS.accept
            : `${ACTS.accept} ${taken} of ${plural(all, "part")}`}
          <Key name={1} />
        </vscode-button>
        <vscode-button aria-keyshortcuts="2 n" secondary onClick={reject}>
          {all > 1 ? `${ACTS.reject} all` : ACTS.reject}
          <Key name={2} />
        </vscode-button>
      </div>
    </AskCard>
  );
}
