// What an answer for longer also allows, later and unasked: as suggested, or as the user changes it.

import { shown } from "../../src/shown.ts";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly suggested: readonly string[];
  /** As they are now, each in its place; an empty one is not kept. */
  readonly rules: readonly string[];
  readonly change: (rules: readonly string[]) => void;
  /** The answers that keep them, as on their buttons. */
  readonly by: readonly string[];
  /** What they are about: edits, say. */
  readonly about: string;
  /** Parts of the edit are rejected. */
  readonly inPart: boolean;
}

/** A field for each; one with characters that cannot be seen is shown, and not changed. */
export function Rules({ suggested, rules, change, by, about, inPart }: Props) {
  return (
    <div class="rules">
      <p>
        {by.map((name) => `“${name}”`).join(" and ")} also {by.length > 1 ? "allow" : "allows"}{" "}
        later {about} that match, without asking. Change what they are to match, or empty it:
      </p>
      {inPart && <p>What you reject now stays out of this edit; a later one may hold it.</p>}
      {suggested.map((rule, at) =>
        shown(rule) === rule ? (
          <input
            key={rule}
            class="field rule"
            aria-label={`Rule ${at + 1}`}
            value={rules[at] ?? ""}
            onInput={(event) => change(rules.with(at, event.currentTarget.value))}
          />
        ) : (
          <code key={rule}>
            <Shown text={rule} />
          </code>
        ),
      )}
    </div>
  );
}
