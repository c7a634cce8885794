// What an answer rests on: its sources with their states, sentences without any, what was corrected, and
// the facts that came of it.

import { plural } from "../../src/commands/markdown.ts";
import type { Correction, Fact } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { describe, holds, open, STATES } from "../markdown/citation.ts";
import { rewritten } from "../state/cites.ts";
import type { Uncited } from "../state/model.ts";
import { nameOf, type Source, type SourceState, stateOf, verdictsOf } from "../state/sources.ts";
import { Fold, memo } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { Words } from "../ui/words.tsx";

interface SourcesProps {
  readonly sources: ReadonlyMap<string, Source>;
  readonly uncited: readonly Uncited[];
  readonly id: string;
}

/** The sources as a fold that says how many hold, and how many sentences have none. */
export const Sources = memo(({ sources, uncited, id }: SourcesProps) => {
  const all = [...sources.values()].flatMap(verdictsOf);
  return (
    <Fold
      id={`${id} sources`}
      name="sources"
      head={<Counts count={sources.size} verdicts={all} uncited={uncited.length} />}
    >
      {() => (
        <ol>
          {all.map((source) => (
            <Verdict key={`${source.mark.key} ${describe(source, false)}`} source={source} />
          ))}
          {uncited.map(({ statement, start }) => (
            <li key={start} class="uncited-entry">
              <Icon name="circle-slash" />
              <span>
                Cites nothing: <Words text={without(statement)} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Fold>
  );
});

function Verdict({ source }: { source: Source }) {
  const state = stateOf(source, false);
  return (
    <li>
      <button
        type="button"
        class={`source ${state}`}
        title={describe(source, false)}
        onClick={() => open(source)}
      >
        <span class="source-number">{source.number}</span>
        <Icon name={STATES[state].icon} />
        <span class="source-place">
          <Shown text={nameOf(source)} />
        </span>
      </button>
      {!holds(state) && (
        <span class="source-reason">
          <Shown text={reasonOf(source)} />
        </span>
      )}
    </li>
  );
}

function reasonOf(source: Source): string {
  const { words } = STATES[stateOf(source, false)];
  return source.undone ? words : source.citation?.reason || words;
}

interface CountsProps {
  readonly count: number;
  readonly verdicts: readonly Source[];
  readonly uncited: number;
}

function Counts({ count, verdicts, uncited }: CountsProps) {
  const by = new Map<SourceState, number>();
  for (const source of verdicts) {
    const state = stateOf(source, false);
    by.set(state, (by.get(state) ?? 0) + 1);
  }
  return (
    <span class="counts">
      <span>{plural(count, "source")}</span>
      {[...by].map(([state, number]) => (
        <span key={state} class={`state ${state}`}>
          <Icon name={STATES[state].icon} />
          {number} {state}
        </span>
      ))}
      {uncited > 0 && (
        <span class="state">
          <Icon name="circle-slash" />
          {plural(uncited, "sentence cites", "sentences cite")} nothing
        </span>
      )}
    </span>
  );
}

const DONE: Readonly<Record<Correction["what"], string>> = {
  rewritten: "Rewritten",
  marked: "Marked",
  dropped: "Left out",
};

/** What was changed in the answer, because its lines did not carry it, as a fold. */
export const Corrections = memo(
  ({ corrections, id }: { corrections: readonly Correction[]; id: string }) => (
    <Fold
      id={`${id} corrections`}
      name="sources corrections"
      head={
        <>
          <Icon name="edit" />
          <span>{plural(corrections.length, "sentence")} corrected</span>
        </>
      }
    >
      {() => (
        <ul>
          {corrections.map(({ what, before, after, reason }) => (
            <li key={before}>
              <span>{DONE[what]}: </span>
              <span class="source-reason">
                <Shown text={reason} />
              </span>
              <del>
                <Words text={without(before)} />
              </del>
              {after && (
                <ins>
                  <Words text={without(after)} />
                </ins>
              )}
            </li>
          ))}
        </ul>
      )}
    </Fold>
  ),
);

/** A sentence without its marks. */
function without(sentence: string): string {
  return rewritten(sentence, () => "")
    .replace(/ +([.,;:])/g, "$1")
    .trim();
}

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
              <Words text={statement} />
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
