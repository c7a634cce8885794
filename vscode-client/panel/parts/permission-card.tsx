// A permission: what is to be done, why it is asked, and for how long it may.

import { useState } from "preact/hooks";
import { shown } from "../../src/shown.ts";
import type { Choice, PermissionRequest } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { receive } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { AskCard } from "./ask-card.tsx";
import { Detail } from "./detail.tsx";
import { Rules } from "./rules.tsx";

const LABELS: Readonly<Record<Choice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow here",
  deny: "Deny",
};

/** The card; `id` is the ask's. */
export function PermissionCard({ id, request }: { id: string; request: PermissionRequest }) {
  const [message, setMessage] = useState<string | null>(null);
  const [rules, setRules] = useState(request.suggestions);
  const answer = (choice: Choice) => {
    const words = choice === "deny" && message?.trim() ? { message: message.trim() } : {};
    const kept = choice === "session" || choice === "always" ? changed(request, rules) : {};
    tell({ type: "permissionAnswer", id, answer: { choice, ...words, ...kept } });
    receive({ type: "answered", id });
  };
  const lasting = request.choices.some((choice) => choice === "session" || choice === "always");
  return (
    <AskCard id={id} name="permission" label={`Permission: ${shown(request.title)}`}>
      <div class="card-head">
        <Icon name="shield" tone="accent" />
        <strong>
          <Shown text={request.title} />
        </strong>
      </div>
      {request.detail && <Detail id={id} request={request} />}
      {request.reasons.length > 0 && (
        <ul class="reasons">
          {request.reasons.map((reason) => (
            <li key={reason}>
              <Shown text={reason} />
            </li>
          ))}
        </ul>
      )}
      {lasting && request.suggestions.length > 0 && (
        <Rules suggested={request.suggestions} rules={rules} change={setRules} />
      )}
      <div class="buttons">
        {request.choices
          .filter((choice) => choice !== "deny")
          .map((choice) => (
            <vscode-button
              key={choice}
              secondary={choice !== "once"}
              onClick={() => answer(choice)}
            >
              {LABELS[choice]}
            </vscode-button>
          ))}
        <vscode-button secondary onClick={() => answer("deny")}>
          {LABELS.deny}
        </vscode-button>
        {message === null && (
          <button type="button" class="link" onClick={() => setMessage("")}>
            Deny and say why…
          </button>
        )}
      </div>
      {message !== null && (
        <form
          class="deny"
          onSubmit={(event) => {
            event.preventDefault();
            answer("deny");
          }}
        >
          <input
            class="field"
            aria-label="What to do instead"
            placeholder="What to do instead"
            value={message}
            ref={(field) => field?.focus()}
            onInput={(event) => setMessage(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                setMessage(null);
              }
            }}
          />
          <button type="submit" class="link">
            Deny and tell it
          </button>
        </form>
      )}
    </AskCard>
  );
}

/** The rules as the user wrote them, where they are not those suggested. */
function changed({ suggestions }: PermissionRequest, rules: readonly string[]) {
  const same = rules.every((rule, at) => rule === suggestions[at]);
  return same ? {} : { rules: rules.map((rule) => rule.trim()).filter(Boolean) };
}
