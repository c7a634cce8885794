// An edit: its hunks, what became of it, and while it waits for the user, what to take of it.

import { plural } from "../../src/commands/markdown.ts";
import { BECAME, type Hunk, type UnsavedFile } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { shiftsOf, sizeOf } from "../state/diff.ts";
import type { EditPart, ToolPart, Turn } from "../state/model.ts";
import { pathOf } from "../state/sources.ts";
import { asks, live, unsaved } from "../store.ts";
import { Fold, IconButton, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { isTakenBack } from "./changed-files.tsx";
import { HunkView } from "./hunk.tsx";
import { ReviewCard } from "./review-card.tsx";
import { ToolCard } from "./tool-card.tsx";

interface Props {
  readonly part: EditPart;
  /** The call that made it, where that is shown nowhere else. */
  readonly call: ToolPart | undefined;
  readonly runId: string;
  /** The turn's changes are taken back. */
  readonly undone: boolean;
  /** The list of the turn's files, once it is over. */
  readonly changed: Turn["changed"];
}

/** The card of an edit, a step like others once the turn is over; for review as long as the extension asks for one. */
export const EditCard = memo(({ part, call, runId, changed, ...turn }: Props) => {
  const { plan, settled } = part;
  const review = asks.value.find((ask) => ask.kind === "review" && ask.plan.id === plan.id);
  if (review?.kind === "review" && !settled) {
    return <ReviewCard id={review.id} plan={plan} leftOut={review.leftOut} />;
  }
  const paths = new Set(plan.hunks.map(({ path }) => path));
  const files = (changed?.files ?? []).filter(({ uri }) => paths.has(pathOf(uri)));
  const listed = files.length === paths.size; // there it is said how much changed
  const undone = turn.undone || (listed && files.every(({ path }) => isTakenBack(runId, path)));
  const left = unsaved.value.find((each) => each.runId === runId && paths.has(pathOf(each.uri)));
  const done = plan.hunks.filter((hunk) => !settled?.leftOut.includes(hunk.id));
  const shifts = shiftsOf(done);
  const id = `${runId} ${plan.id}`;
  return (
    <Fold
      id={id}
      name={`${listed ? "tool" : "card"} edit ${undone ? "undone" : left ? "unsaved" : ""}`}
      head={
        <Head
          part={part}
          hunks={done}
          waiting={live.value?.runId === runId}
          undone={undone}
          left={left}
          listed={listed}
        />
      }
      aside={
        <IconButton
          icon="diff"
          label="Open diff"
          act={() => tell({ type: "openDiff", plan: { ...plan, hunks: done } })}
        />
      }
    >
      {() => (
        <>
          {settled?.note && (
            <p class="note">
              <Shown text={settled.note} />
            </p>
          )}
          {plan.hunks.map((hunk) => (
            <HunkView
              key={hunk.id}
              hunk={hunk}
              shift={shifts.get(hunk.id) ?? 0}
              id={id}
              leftOut={!done.includes(hunk)}
              aside={!done.includes(hunk) && <span class="tag">left out</span>}
            />
          ))}
          {call && <ToolCard part={call} live={live.value?.runId === runId} runId={runId} />}
        </>
      )}
    </Fold>
  );
});

interface HeadProps {
  readonly part: EditPart;
  /** Those that were applied, or are to be. */
  readonly hunks: readonly Hunk[];
  readonly waiting: boolean;
  readonly undone: boolean;
  /** Its file, if that is not on disk as it was edited. */
  readonly left: UnsavedFile | undefined;
  readonly listed: boolean;
}

function Head({ part: { plan, settled }, hunks, waiting, undone, left, listed }: HeadProps) {
  const sizes = hunks.map(sizeOf);
  const added = sizes.reduce((sum, size) => sum + size.added, 0);
  const removed = sizes.reduce((sum, size) => sum + size.removed, 0);
  const became = settled
    ? outcome(settled, undone, left)
    : { icon: "loading" as const, tone: "", words: waiting ? "being applied" : BECAME.notApplied };
  return (
    <>
      {waiting || settled ? (
        <Icon name={became.icon} tone={became.tone} spin={!settled} />
      ) : (
        <Icon name="circle-slash" tone="faint" />
      )}
      <span class="edit-label">
        <Shown text={plan.label} />
      </span>
      {!listed && (
        <span class="size">
          <span class="plus" title={plural(added, "line added", "lines added")}>
            +{added}
          </span>{" "}
          <span class="minus" title={plural(removed, "line removed", "lines removed")}>
            −{removed}
          </span>
        </span>
      )}
      <span class={`became ${became.tone}`}>{became.words}</span>
    </>
  );
}

function outcome(
  { applied, note }: { applied: boolean; note: string },
  undone: boolean,
  left: UnsavedFile | undefined,
) {
  if (!applied) {
    return { icon: "circle-slash" as const, tone: "bad", words: BECAME.notApplied };
  }
  if (undone) {
    return { icon: "discard" as const, tone: "mixed", words: BECAME.undone };
  }
  if (left) {
    return left.gone
      ? { icon: "circle-slash" as const, tone: "bad", words: "gone" }
      : { icon: "pass" as const, tone: "mixed", words: "not saved" };
  }
  return note
    ? { icon: "pass" as const, tone: "mixed", words: BECAME.inPart }
    : { icon: "pass-filled" as const, tone: "good", words: "applied" };
}
