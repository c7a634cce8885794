// A permission: what is to be done, why it is asked, and for how long it may.

import { useRef } from "preact/hooks";
import { plural } from "../../src/commands/markdown.ts";
import { keptOf } from "../../src/editor/parts.ts";
import { shown } from "../../src/shown.ts";
import { CHOICES, type Choice, type PermissionRequest } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { receive } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { useWritten } from "../written.ts";
import { AskCard, Key, type Keys } from "./ask-card.tsx";
import { ChosenHunks, WhyLeft } from "./chosen-hunks.tsx";
import { Detail } from "./detail.tsx";
import { Rules } from "./rules.tsx";

const LETTERS: Readonly<Partial<Record<Choice, string>>> = { once: "y", deny: "n" };

/** As the buttons stand. A choice keeps its digit, also where others are not offered. */
const ORDER: readonly Choice[] = ["once", "deny", "session", "always"];

interface Props {
  /** The ask's. */
  readonly id: string;
  readonly request: PermissionRequest;
  readonly leftOut: ReadonlySet<string>;
}

/** The card. */
export function PermissionCard({ id, request, leftOut }: Props) {
  const [message, setMessage] = useWritten<string | null>(id, "message", null);
  const [rules, setRules] = useWritten<readonly string[]>(id, "rules", request.suggestions);
  const [why, setWhy] = useWritten<string>(id, "why", "");
  const moving = useRef(false); // the focus, to what takes the place of what had it
  const { plan } = request;
  const all = plan?.hunks.length ?? 0;
  const taken = keptOf(plan?.hunks ?? [], leftOut).length;
  const inPart = taken < all;
  const isNothing = inPart && taken === 0; // that could be allowed
  const answer = (choice: Choice) => {
    if (isNothing && choice !== "deny") {
      return;
    }
    const words = said((choice === "deny" ? message : null) ?? (inPart ? why : ""));
    const kept = choice === "session" || choice === "always" ? changed(request, rules) : {};
    tell({ type: "permissionAnswer", id, answer: { choice, ...words, ...kept } });
    receive({ type: "answered", id });
  };
  const isOffered = (choice: Choice) => choice === "deny" || request.choices.includes(choice);
  const offered = ORDER.map((choice, at) => ({ choice, digit: at + 1 })).filter(({ choice }) =>
    isOffered(choice),
  );
  const keys: Keys = {
    ...Object.fromEntries(offered.map(({ choice, digit }) => [digit, () => answer(choice)])),
    ...(isOffered("once") && { y: () => answer("once") }),
    n: () => answer("deny"),
  };
  const lasting = request.choices.filter((choice) => choice === "session" || choice === "always");
  return (
    <AskCard
      id={id}
      name="permission"
      label={`Permission: ${shown(request.title)}`}
      about={`${request.title} ${request.detail}`}
      keys={keys}
    >
      <div class="card-head">
        <Icon name="shield" tone="accent" />
        <strong>
          <Shown text={request.title} />
        </strong>
        {plan && (
          <IconButton icon="diff" label="Open diff" act={() => tell({ type: "openAsked", id })} />
        )}
      </div>
      {plan ? (
        <ChosenHunks id={id} plan={plan} leftOut={leftOut} />
      ) : (
        request.detail && <Detail id={id} request={request} />
      )}
      {inPart && <WhyLeft message={why} change={setWhy} />}
      {request.reasons.length > 0 && (
        <ul class="reasons">
          {request.reasons.map((reason) => (
            <li key={reason}>
              <Shown text={reason} />
            </li>
          ))}
        </ul>
      )}
      {lasting.length > 0 && request.suggestions.length > 0 && (
        <Rules
          suggested={request.suggestions}
          rules={rules}
          change={setRules}
          by={lasting.map((choice) => CHOICES[choice])}
          about={plan ? "edits" : request.tool === "Bash" ? "commands" : "calls"}
          inPart={inPart}
        />
      )}
      <div class="buttons">
        {offered.map(({ choice, digit }) => (
          <vscode-button
            key={choice}
            secondary={choice !== "once"}
            aria-keyshortcuts={[digit, LETTERS[choice]].filter(Boolean).join(" ")}
            disabled={choice !== "deny" && isNothing}
            onClick={() => answer(choice)}
          >
            {choice === "once" && inPart
              ? `Allow ${taken} of ${plural(all, "part")}`
              : CHOICES[choice]}
            <Key name={digit} />
          </vscode-button>
        ))}
        {message === null && (
          <button
            type="button"
            class="link"
            ref={(button) => {
              if (button && moving.current) {
                moving.current = false;
                button.focus();
              }
            }}
            onClick={() => {
              moving.current = true;
              setMessage("");
            }}
          >
            Refuse and say why…
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
            ref={(field) => {
              if (field && moving.current) {
                moving.current = false;
                field.focus();
              }
            }}
            onInput={(event) => setMessage(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                moving.current = true;
                setMessage(null);
              }
            }}
          />
          <button type="submit" class="link">
            Refuse and tell it
          </button>
        </form>
      )}
    </AskCard>
  );
}

function said(words: string): { readonly message?: string } {
  return words.trim() ? { message: words.trim() } : {};
}

/** The rules as the user wrote them, where they are not those suggested. */
function changed({ suggestions }: PermissionRequest, rules: readonly string[]) {
  const same = rules.every((rule, at) => rule === suggestions[at]);
  return same ? {} : { rules: rules.map((rule) => rule.trim()).filter(Boolean) };
}
