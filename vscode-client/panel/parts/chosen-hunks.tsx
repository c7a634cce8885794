// The parts of an edit that waits for the user, each of which is taken or left.

import { plural } from "../../src/commands/markdown.ts";
import { ACTS, type EditPlan } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { shiftsOf } from "../state/diff.ts";
import { IconButton } from "../ui/controls.tsx";
import { HunkView } from "./hunk.tsx";

const MANY = 8; // parts, above which they scroll by themselves: question and buttons stay in sight

interface Props {
  readonly id: string;
  readonly plan: EditPlan;
  /** The ids of those that the user leaves out, here or in the diff. */
  readonly leftOut: ReadonlySet<string>;
}

/** Diffs that are whole, as the user approves them, with buttons where one may be left out. */
export function ChosenHunks({ id, plan, leftOut }: Props) {
  const shifts = shiftsOf(plan.hunks);
  const all = plan.hunks.length;
  const put = (part: string, out: boolean) => tell({ type: "leaveOut", id, part, out });
  const files = new Set(plan.hunks.map(({ path }) => path)).size;
  const size = `${plural(all, "part")} in ${plural(files, "file")}`;
  const hunks = plan.hunks.map((hunk, at) => (
    <HunkView
      key={hunk.id}
      hunk={hunk}
      shift={shifts.get(hunk.id) ?? 0}
      id={id}
      leftOut={leftOut.has(hunk.id)}
      whole
      aside={
        all > 1 &&
        !plan.asOne && (
          <fieldset class="choose" aria-label={`Part ${at + 1} of ${all}`}>
            <IconButton
              icon="check"
              tone="take"
              label={`${ACTS.accept} part ${at + 1}`}
              pressed={!leftOut.has(hunk.id)}
              act={() => put(hunk.id, false)}
            />
            <IconButton
              icon="close"
              tone="leave"
              label={`${ACTS.reject} part ${at + 1}`}
              pressed={leftOut.has(hunk.id)}
              act={() => put(hunk.id, true)}
            />
          </fieldset>
        )
      }
    />
  ));
  if (all <= MANY) {
    return <>{hunks}</>;
  }
  return (
    <>
      <span class="hunk-size">{size}, scroll to see all</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div class="hunks" role="group" aria-label={size} tabIndex={0}>
        {hunks}
      </div>
    </>
  );
}

interface WhyProps {
  readonly message: string;
  readonly change: (message: string) => void;
}

/** Words for the model about what is left out. */
export function WhyLeft({ message, change }: WhyProps) {
  return (
    <input
      class="field"
      aria-label="What to tell the model about what you leave out"
      placeholder="Say why (optional)"
      value={message}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
