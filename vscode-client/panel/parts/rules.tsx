// The rules that an answer for longer keeps: as suggested, or as the user changes them.

import { shown } from "../../src/shown.ts";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly suggested: readonly string[];
  /** As they are now, each in its place; an empty one is not kept. */
  readonly rules: readonly string[];
  readonly change: (rules: readonly string[]) => void;
}

/** A field for each; one with characters that cannot be seen is shown, and not changed. */
export function Rules({ suggested, rules, change }: Props) {
  return (
    <div class="rules">
      <p>
        For the session, or always here, these rules are kept. Change one, or empty it to leave it
        out:
      </p>
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
