// What a new conversation begins with.

import { tell } from "./host.ts";
import { ask, draft, focusing, situation } from "./store.ts";
import { Icon } from "./ui/icon.tsx";

const EXAMPLES = [
  "How is this project put together?",
  "Where are errors handled, and what happens to them?",
  "Which settings are there, and where are they read?",
];
// Without a model, questions that lines answer.
const OFFLINE_EXAMPLES = [
  "Where are errors handled?",
  "Where is the configuration read?",
  "What does the main function do?",
];

/** What Glossator is, what can be asked, and how to set a key. */
export function Welcome() {
  const { hasKey, offline } = situation.value;
  const ready = situation.value.server.phase === "ready";
  return (
    <div class="welcome">
      <h2>Ask your workspace</h2>
      <p>
        Glossator searches and reads your code, changes it if you agree, and cites the lines that
        each claim rests on.
      </p>
      <ul class="examples">
        {(offline ? OFFLINE_EXAMPLES : EXAMPLES).map((question) => (
          <li key={question}>
            <button
              type="button"
              class="option"
              onClick={() => {
                if (ready) {
                  ask(question, [], null);
                } else {
                  draft.value = question;
                  focusing.value += 1;
                }
              }}
            >
              <Icon name="comment-discussion" />
              <span>{question}</span>
            </button>
          </li>
        ))}
      </ul>
      {offline && (
        <div class="key">
          <p>
            <span class="tag">offline</span> No model is asked: answers are quotes from your files,
            with their lines.{" "}
            {hasKey ? "" : "With an API key a model answers, or one on this machine."}
          </p>
          {!hasKey && (
            <div class="buttons">
              <vscode-button
                onClick={() => tell({ type: "command", command: "glossator.setApiKey" })}
              >
                Set API key
              </vscode-button>
              <vscode-button
                secondary
                onClick={() => tell({ type: "command", command: "glossator.useLocalServer" })}
              >
                Use a local model
              </vscode-button>
            </div>
          )}
        </div>
      )}
      <p class="hints">
        <kbd>@</kbd> names a file, folder or symbol · <kbd>/</kbd> a command · hold <kbd>Shift</kbd>{" "}
        to drop a file here, or paste a picture
      </p>
    </div>
  );
}
