// The model's thinking: folded, with its newest words while it goes on.

import type { ThinkingPart } from "../state/model.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly part: ThinkingPart;
  readonly id: string;
  /** It is the newest part of a run that goes on. */
  readonly now: boolean;
}

/** Code and bold words, without what marks them; an underscore is part of a name. */
const MARKED = /(?<mark>`+|\*\*)(?=\S)(?<words>.*?\S)\k<mark>/g;

/** A fold of it. */
export const Thinking = memo(({ part, id, now }: Props) => (
  <Fold
    id={id}
    name="thinking"
    head={
      <>
        <Icon name="lightbulb" tone="faint" />
        <span class={now ? "shimmer" : ""}>{now ? "Thinking" : "Thought"}</span>
        <span class="tool-summary">
          <Shown text={glimpse(part.text, now)} />
        </span>
      </>
    }
  >
    {() => (
      <div class="thoughts">
        <Shown text={part.text.trim()} kind="text" />
      </div>
    )}
  </Fold>
));

function glimpse(text: string, now: boolean): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return ((now ? lines.at(-1) : lines[0]) ?? "")
    .replace(/^\s*#+\s+/, "")
    .replace(MARKED, "$<words>")
    .trim();
}
