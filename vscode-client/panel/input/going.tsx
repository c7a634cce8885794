// What will go with the question that is being written, looked up whenever the user pauses.

import { computed, effect, signal } from "@preact/signals";
import { plural } from "../../src/commands/markdown.ts";
import type { GoingKind, Going as GoingPart } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { count } from "../state/figures.ts";
import { about, draft, insteadOf, live, preview, situation } from "../store.ts";
import { Fold } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";

const PAUSE = 400; // ms without a key

const ICONS: Readonly<Record<GoingKind, IconName>> = {
  attached: "attach",
  mentioned: "mention",
  instructions: "book",
  memory: "bookmark",
  fact: "verified",
  editor: "file-code",
  git: "git-commit",
  workspace: "files",
};

const counts = signal(1); // the first look whose answer counts
let number = 0;

const isWanted = computed(
  () =>
    draft.value.trim() !== "" &&
    !live.value &&
    insteadOf.value === null &&
    situation.value.server.phase === "ready",
);
const session = computed(() => situation.value.sessionId);

/** What goes with the question; what was known last of this one stays until the next is. */
const known = computed(() =>
  isWanted.value && preview.value.number >= counts.value ? preview.value.answer : null,
);

effect(() => {
  void session.value;
  if (!isWanted.value) {
    counts.value = number + 1; // what was found for another question does not count
  }
});

effect(() => {
  const [question, chips] = [draft.value.trim(), about.value];
  void session.value;
  if (!isWanted.value) {
    return;
  }
  const timer = setTimeout(() => {
    number += 1;
    const attachments = chips.map(({ attachment }) => attachment);
    tell({ type: "preview", number, question, attachments });
  }, PAUSE);
  return () => clearTimeout(timer);
});

/** A line above the input, which unfolds. */
export function Going() {
  const answer = known.value;
  if (!answer || answer.parts.length + answer.problems.length === 0) {
    return null;
  }
  return (
    <section class="strips" aria-label="Goes along">
      <Fold
        id="strip going"
        name="strip"
        head={
          <>
            <Icon name="layers" />
            <span class="strip-words">
              Goes along: <Shown text={summaryOf(answer.parts)} />
            </span>
            <span class="list-count">at least {count(answer.tokens)} tokens</span>
          </>
        }
      >
        {() => (
          <ul class="going">
            {answer.parts.map((part) => (
              <Part key={`${part.kind} ${part.name}`} part={part} />
            ))}
            {answer.problems.map((problem) => (
              <li key={problem} class="notice">
                <Icon name="warning" tone="mixed" />
                <Shown text={problem} />
              </li>
            ))}
          </ul>
        )}
      </Fold>
    </section>
  );
}

function Part({ part }: { part: GoingPart }) {
  const { kind, name, why, tokens, uri, firstLine, lastLine } = part;
  const words = <Shown text={name} />;
  return (
    <li>
      <Icon name={ICONS[kind]} />
      <span class="going-words">
        {uri === null ? (
          words
        ) : (
          <button
            type="button"
            class="link"
            onClick={() =>
              tell({ type: "open", uri, firstLine: firstLine ?? 1, lastLine: lastLine ?? 1 })
            }
          >
            {words}
          </button>
        )}
        <span class="option-detail">
          <Shown text={why} />
        </span>
      </span>
      <span class="list-count">{tokens === null ? "" : count(tokens)}</span>
    </li>
  );
}

/** `AGENTS.md, 2 facts, 1 mention`: what is not seen in the input comes first. */
function summaryOf(parts: readonly GoingPart[]): string {
  const of = (kind: GoingKind) => parts.filter((part) => part.kind === kind);
  const counted = (kind: GoingKind, word: string) => {
    const { length } = of(kind);
    return length > 0 ? [plural(length, word)] : [];
  };
  return [
    ...of("instructions").map(({ name }) => name),
    ...counted("fact", "fact"),
    ...of("memory").map(({ name }) => name),
    ...of("editor").map(() => "what the editor shows"),
    ...of("git").map(() => "git"),
    ...of("workspace").map(() => "the workspace"),
    ...counted("mentioned", "mention"),
    ...counted("attached", "attachment"),
  ].join(", ");
}
