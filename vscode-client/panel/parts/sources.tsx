// What an answer rests on: its sources with their states, and the facts that came of them.

import { tell } from "../host.ts";
import type { Fact } from "../later.ts";
import { describe, holds, open, STATES } from "../markdown/citation.ts";
import { nameOf, type Source, type SourceState, stateOf } from "../state/cites.ts";
import { plural } from "../state/figures.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** The sources as a fold that says how many hold. */
export const Sources = memo(
  ({ sources, id }: { sources: ReadonlyMap<string, Source>; id: string }) => {
    const all = [...sources.values()];
    return (
      <Fold id={`${id} sources`} name="sources" head={<Counts sources={all} />}>
        {() => (
          <ol>
            {all.map((source) => (
              <li key={source.mark.key}>
                <button
                  type="button"
                  class={`source ${stateOf(source, false)}`}
                  title={describe(source, false)}
                  onClick={() => open(source)}
                >
                  <span class="source-number">{source.number}</span>
                  <Icon name={STATES[stateOf(source, false)].icon} />
                  <span class="source-place">
                    <Shown text={nameOf(source)} />
                  </span>
                </button>
                {!holds(stateOf(source, false)) && (
                  <span class="source-reason">
                    <Shown text={reasonOf(source)} />
                  </span>
                )}
              </li>
            ))}
          </ol>
        )}
      </Fold>
    );
  },
);

function reasonOf(source: Source): string {
  const { words } = STATES[stateOf(source, false)];
  return source.undone ? words : source.citation?.reason || words;
}

function Counts({ sources }: { sources: readonly Source[] }) {
  const by = new Map<SourceState, number>();
  for (const source of sources) {
    const state = stateOf(source, false);
    by.set(state, (by.get(state) ?? 0) + 1);
  }
  return (
    <span class="counts">
      <span>{plural(sources.length, "source")}</span>
      {[...by].map(([state, number]) => (
        <span key={state} class={`state ${state}`}>
          <Icon name={STATES[state].icon} />
          {number} {SHORT[state]}
        </span>
      ))}
    </span>
  );
}

const SHORT: Readonly<Record<SourceState, string>> = {
  read: "read",
  verified: "verified",
  contradicted: "contradicted",
  unsupported: "unsupported",
  moved: "moved",
  stale: "stale",
  undone: "undone",
  pending: "pending",
  unchecked: "unchecked",
};

/** The facts as a fold. */
export const Facts = memo(({ facts, id }: { facts: readonly Fact[]; id: string }) => (
  <Fold
    id={`${id} facts`}
    name="sources facts"
    head={
      <>
        <Icon name="verified" tone="good" />
        <span>{plural(facts.length, "fact")} kept</span>
      </>
    }
  >
    {() => (
      <ul>
        {facts.map(({ id: fact, statement, path, uri, firstLine, lastLine, state }) => (
          <li key={fact} class={state}>
            <span>
              <Shown text={statement} />
            </span>{" "}
            <button
              type="button"
              class="link"
              onClick={() => tell({ type: "open", uri, firstLine, lastLine })}
            >
              <Shown text={`${path}:${firstLine}`} />
            </button>
            {state === "stale" && <span class="tag">stale</span>}
          </li>
        ))}
      </ul>
    )}
  </Fold>
));
