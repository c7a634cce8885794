// A permission: what is to be done, why it is asked, and for how long it may.

import { useState } from "preact/hooks";
import type { Choice, PermissionRequest } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { receive } from "../store.ts";
import { Icon } from "../ui/icon.tsx";

const LABELS: Readonly<Record<Choice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow here",
  deny: "Deny",
};

/** The card; `id` is the ask's. */
export function PermissionCard({ id, request }: { id: string; request: PermissionRequest }) {
  const [message, setMessage] = useState<string | null>(null);
  const answer = (choice: Choice) => {
    const words = choice === "deny" && message?.trim() ? { message: message.trim() } : {};
    tell({ type: "permissionAnswer", id, answer: { choice, ...words } });
    receive({ type: "answered", id });
  };
  const lasting = request.choices.some((choice) => choice === "session" || choice === "always");
  return (
    <section class="card ask permission" aria-label={`Permission: ${request.title}`}>
      <div class="card-head">
        <Icon name="shield" tone="accent" />
        <strong>{request.title}</strong>
      </div>
      {request.detail && <Detail text={request.detail} />}
      {request.reasons.length > 0 && (
        <ul class="reasons">
          {request.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {lasting && request.suggestions.length > 0 && (
        <p class="rules">
          For the session, or always here, adds{" "}
          {request.suggestions.map((rule) => (
            <code key={rule}>{rule}</code>
          ))}
        </p>
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
    </section>
  );
}

/** A command, or a diff in colours. */
function Detail({ text }: { text: string }) {
  const isDiff = /^(@@|--- |\+\+\+ )/m.test(text) || /^[-+] ?\S/m.test(text);
  return (
    <pre class="detail">
      {text.split("\n").map((line, at) => (
        <span key={at} class={isDiff ? toneOf(line) : ""}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}

function toneOf(line: string): string {
  if (line.startsWith("+")) {
    return "new";
  }
  return line.startsWith("-") ? "gone" : "";
}
