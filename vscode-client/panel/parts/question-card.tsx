// A question of the model's: options to choose, or words of one's own.

import { shown } from "../../src/shown.ts";
import type { Question } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { receive } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { Words } from "../ui/words.tsx";
import { useWritten } from "../written.ts";
import { AskCard, byDigits, Key, keyOf } from "./ask-card.tsx";

/** The card; `id` is the ask's. */
export function QuestionCard({ id, question }: { id: string; question: Question }) {
  const [chosen, setChosen] = useWritten<readonly string[]>(id, "chosen", []);
  const [words, setWords] = useWritten<string>(id, "words", "");
  const { options, several } = question;
  const [first = "", ...more] = question.text.split("\n");
  const answer = (labels: readonly string[], own: string) => {
    tell({ type: "questionAnswer", id, answer: { chosen: labels, words: own.trim() } });
    receive({ type: "answered", id });
  };
  const put = (label: string, on: boolean) =>
    setChosen(
      options
        .map((each) => each.label)
        .filter((each) => (each === label ? on : chosen.includes(each))),
    );
  return (
    <AskCard
      id={id}
      name="question-card"
      label={`Question: ${shown(question.text)}`}
      keys={{
        ...byDigits(
          options.map(
            ({ label }) =>
              () =>
                several ? put(label, !chosen.includes(label)) : answer([label], words),
          ),
        ),
        ...(chosen.length > 0 && { enter: () => answer(chosen, words) }),
      }}
    >
      <div class="card-head">
        <Icon name="question" tone="accent" />
        <strong>
          <Words text={first} />
        </strong>
        {question.draft && (
          <IconButton
            icon="edit"
            label="Edit the plan"
            act={() => tell({ type: "openAsked", id })}
          />
        )}
      </div>
      {more.length > 0 && (
        <div class="question-more">
          <Words text={more.join("\n")} />
        </div>
      )}
      <fieldset class="options" aria-label="Answers">
        {options.map(({ label, detail }, at) =>
          several ? (
            <div key={label} class="option-check">
              <vscode-checkbox
                label={shown(label)}
                aria-keyshortcuts={keyOf(at)}
                checked={chosen.includes(label)}
                onChange={(event) => put(label, event.currentTarget.checked)}
              />
              <Key name={at + 1} />
              {detail && <OptionDetail text={detail} />}
            </div>
          ) : (
            <button
              key={label}
              type="button"
              class="option"
              aria-keyshortcuts={keyOf(at)}
              onClick={() => answer([label], words)}
            >
              <span>
                <Shown text={label} />
                <Key name={at + 1} />
              </span>
              {detail && <OptionDetail text={detail} />}
            </button>
          ),
        )}
      </fieldset>
      <form
        class="own"
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim() !== "" || chosen.length > 0) {
            answer(chosen, words);
          }
        }}
      >
        <input
          class="field"
          aria-label={options.length > 0 ? "Or in your own words" : "Your answer"}
          placeholder={options.length > 0 ? "Or in your own words" : "Your answer"}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <vscode-button
          disabled={words.trim() === "" && chosen.length === 0}
          onClick={() => answer(chosen, words)}
        >
          Answer
        </vscode-button>
      </form>
    </AskCard>
  );
}

function OptionDetail({ text }: { text: string }) {
  return (
    <span class="option-detail">
      <Shown text={text} />
    </span>
  );
}
