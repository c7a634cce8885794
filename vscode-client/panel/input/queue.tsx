// Messages that wait for the end of the run, between the conversation and the input.

import { useLayoutEffect, useRef } from "preact/hooks";
import { looksLikeCommand } from "../../src/commands/slash.ts";
import { chipKey } from "../../src/panel/attached.ts";
import type { Queued, ToHost } from "../../src/panel/messages.ts";
import { shown } from "../../src/shown.ts";
import { ACTS } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { ChipView } from "../parts/chip.tsx";
import { focusing, live, queue } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { forgetWritten, useWritten } from "../written.ts";

type Act = Extract<ToHost, { type: "queued" }>["act"];
const NAMED = 60;

/** The list; nothing where nothing waits. */
export function QueueView() {
  const { messages, held } = queue.value;
  if (messages.length === 0) {
    return null;
  }
  const waits = held !== "";
  return (
    <section class="queue" aria-label="Waiting messages">
      <div class="queue-head">
        <span>
          {waits ? <Icon name="warning" tone="mixed" /> : <Icon name="list-ordered" />}{" "}
          {waits ? <Shown text={`Not sent yet. ${held}`} kind="text" /> : "Asked next"}
        </span>
        {waits && (
          <button type="button" class="link" onClick={() => tell({ type: "sendQueued" })}>
            Send {messages.length > 1 ? "all in order" : "it"}
          </button>
        )}
      </div>
      <ol>
        {messages.map((message, at) => (
          <Row
            key={message.id}
            message={message}
            isFirst={at === 0}
            isLast={at === messages.length - 1}
          />
        ))}
      </ol>
    </section>
  );
}

interface RowProps {
  readonly message: Queued;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function Row({ message, isFirst, isLast }: RowProps) {
  const { id, question, chips, state } = message;
  const name = named(question);
  const row = useRef<HTMLLIElement>(null);
  const act = (what: Act) => {
    tell({ type: "queued", id, act: what });
    if (what === "remove" && focusNext(row.current)) {
      return;
    }
    if (what !== "up" && what !== "down" && what !== "edit") {
      focusing.value += 1; // the button goes, and with it the focus
    }
  };
  if (state === "editing") {
    return (
      <li>
        <Editor message={message} />
      </li>
    );
  }
  return (
    <li ref={row}>
      <div class="queued">
        <p class="queued-text" title={shown(question)}>
          <Shown text={question} kind="text" />
        </p>
        {chips.length > 0 && (
          <div class="chips">
            {chips.map((chip) => (
              <ChipView key={chipKey(chip)} chip={chip} />
            ))}
          </div>
        )}
        {state === "steering" && (
          <p class="queued-state">
            <Icon name="loading" spin /> Goes to the model with the next results
          </p>
        )}
      </div>
      <div class="queued-acts">
        {state === "steering" ? (
          <IconButton icon="discard" label={`Take back: ${name}`} act={() => act("takeBack")} />
        ) : (
          <>
            {!(live.value && looksLikeCommand(question)) && (
              <IconButton
                icon={live.value ? "compass" : "send"}
                label={`${live.value ? ACTS.steer : "Send now"}: ${name}`}
                act={() => act("send")}
              />
            )}
            {!(isFirst && isLast) && (
              <>
                <IconButton
                  icon="arrow-up"
                  label={`Move up: ${name}`}
                  idle={isFirst}
                  act={() => act("up")}
                />
                <IconButton
                  icon="arrow-down"
                  label={`Move down: ${name}`}
                  idle={isLast}
                  act={() => act("down")}
                />
              </>
            )}
            <IconButton icon="edit" label={`Edit: ${name}`} act={() => act("edit")} />
            <IconButton icon="trash" label={`Remove: ${name}`} act={() => act("remove")} />
          </>
        )}
      </div>
    </li>
  );
}

/** Enter keeps the text, Escape leaves it as it was. */
function Editor({ message: { id, question } }: { message: Queued }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useWritten<string>(id, "text", question);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  const end = (changed: string | null) => {
    tell({ type: "requeued", id, question: changed?.trim() || null });
    forgetWritten(id);
    focusing.value += 1;
  };
  return (
    <>
      <textarea
        ref={field}
        class="field queued-field"
        rows={1}
        value={text}
        aria-label="Waiting message"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) {
            return;
          }
          if (event.key === "Escape") {
            event.stopPropagation();
            end(null);
          } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            end(text);
          }
        }}
      />
      <div class="queued-acts">
        <IconButton icon="check" label="Keep (Enter)" act={() => end(text)} />
        <IconButton icon="close" label="Leave it as it was (Escape)" act={() => end(null)} />
      </div>
    </>
  );
}

/** The last button of the row below, or of the one above; false where there is none. */
function focusNext(row: HTMLElement | null): boolean {
  const other = row?.nextElementSibling ?? row?.previousElementSibling;
  const buttons = other?.querySelectorAll("button") ?? [];
  const last = buttons[buttons.length - 1];
  last?.focus();
  return last !== undefined;
}

function named(question: string): string {
  const line = shown(question).replace(/\s+/g, " ");
  return line.length > NAMED ? `${line.slice(0, NAMED - 1)}…` : line;
}
