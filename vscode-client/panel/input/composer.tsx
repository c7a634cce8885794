// Where questions are written: the input with its chips, and below it the mode, the model and Send.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { chipKey } from "../../src/panel/attached.ts";
import type { Completion } from "../../src/panel/messages.ts";
import { shown } from "../../src/shown.ts";
import { ACTS } from "../../src/wire.ts";
import { seekTakeOver } from "../header/elsewhere.tsx";
import { ChipView } from "../parts/chip.tsx";
import { Elapsed } from "../parts/elapsed.tsx";
import {
  apart,
  asks,
  chips,
  clear,
  detach,
  draft,
  focusing,
  insteadOf,
  live,
  openIn,
  over,
  seek,
  selection,
  send,
  situation,
  stop,
  stopping,
  turns,
} from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { chosen, complete, items, step, token } from "./completion.ts";
import { CompletionList, itemId } from "./completion-list.tsx";
import { take } from "./dropping.ts";
import { forgetRecall, isRecalling, recallQuestion } from "./history.ts";
import { Pickers } from "./pickers.tsx";
import { replaced, tokenAt } from "./token.ts";

/** The input and all around it. */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (focusing.value > 0 && over.value) {
      document.querySelector<HTMLElement>(".worktree button")?.focus(); // the way on
    } else if (focusing.value > 0 && field.current) {
      field.current.focus();
      field.current.setSelectionRange(draft.value.length, draft.value.length);
    }
  }, [focusing.value, over.value]);

  useEffect(() => {
    const focused = () => {
      if (document.activeElement === document.body) {
        field.current?.focus();
      }
    };
    window.addEventListener("focus", focused);
    return () => window.removeEventListener("focus", focused);
  }, []);
  useEffect(takeOver, []);

  const accept = (item: Completion) => {
    const [input, at] = [field.current, token.value];
    if (input && at) {
      const goesOn = item.kind === "folder";
      const next = replaced(draft.value, at, item.insert, goesOn);
      draft.value = next.text;
      input.value = next.text;
      input.setSelectionRange(next.cursor, next.cursor);
      complete(goesOn ? tokenAt(next.text, next.cursor) : null);
    }
  };
  const open = items.value.length > 0;
  return (
    <section class="composer" aria-label="Your message">
      {insteadOf.value !== null && <Editing />}
      {apart.value && situation.value.sessionId === null && <Apart />}
      <CompletionList take={accept} />
      <div class="input-box">
        <Chips />
        <textarea
          ref={field}
          rows={1}
          value={draft.value}
          disabled={over.value}
          placeholder={placeholder()}
          aria-label="Question"
          aria-controls={open ? "completions" : undefined}
          aria-autocomplete="list"
          aria-activedescendant={open ? itemId(chosen.value) : undefined}
          onInput={(event) => {
            const { value, selectionStart } = event.currentTarget;
            draft.value = value;
            forgetRecall();
            complete(tokenAt(value, selectionStart));
          }}
          onBlur={() => complete(null)}
          onKeyDown={(event) => {
            if (!event.isComposing && pressed(event, event.currentTarget, accept)) {
              event.preventDefault();
            }
          }}
          onPaste={(event) => {
            if (take(event.clipboardData)) {
              event.preventDefault();
            }
          }}
        />
        <div class="input-foot">
          <Pickers />
          {live.value && (
            <span class="elapsed" role="timer" aria-label="Time so far" title="Time so far">
              <Elapsed since={live.value.beganAt} before="" />
            </span>
          )}
          {live.value ? (
            <div class="during">
              {draft.value.trim() !== "" && insteadOf.value === null && (
                <>
                  <IconButton
                    icon="compass"
                    label={`${ACTS.steer}, with its next results (${STEER_KEY})`}
                    act={() => send(true)}
                  />
                  <IconButton
                    icon="list-ordered"
                    label={`${ACTS.queue}, after this answer (Enter)`}
                    tone="send"
                    act={() => send()}
                  />
                </>
              )}
              <IconButton
                icon="debug-stop"
                label={`${ACTS.stop} (Escape)`}
                tone="stop"
                idle={stopping.value === live.value.runId}
                act={stop}
              />
            </div>
          ) : (
            <IconButton
              icon="send"
              label="Send (Enter)"
              tone="send"
              disabled={draft.value.trim() === "" || !mayBeSent()}
              act={() => send()}
            />
          )}
        </div>
      </div>
    </section>
  );
}

/** Whenever what has the focus goes, the input takes it, until the function given back is called. */
function takeOver(): () => void {
  let last: Element | null = null;
  const focused = ({ target }: FocusEvent) => {
    last = target instanceof Element ? target : null;
  };
  const pressed = () => {
    last = null; // it may be a click beside everything, which takes the focus from it
  };
  const gone = new MutationObserver(() => {
    if (last?.isConnected === false && document.hasFocus()) {
      last = null;
      if (document.activeElement === document.body) {
        focusing.value += 1;
      }
    }
  });
  document.addEventListener("focusin", focused);
  document.addEventListener("pointerdown", pressed);
  gone.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", focused);
    document.removeEventListener("pointerdown", pressed);
    gone.disconnect();
  };
}

const STEER_KEY = /Mac/.test(navigator.userAgent) ? "Cmd+Enter" : "Ctrl+Enter";

/**
 * Commands can be sent in a session that is open elsewhere, questions cannot. What is sent while the
 * server starts waits for it.
 */
function mayBeSent(): boolean {
  const isHere = openIn.value === "" || draft.value.startsWith("/");
  const { phase } = situation.value.server;
  return isHere && !over.value && (phase === "ready" || phase === "starting");
}

function placeholder(): string {
  if (over.value) {
    return "Its worktree is gone: begin a new session to go on";
  }
  if (openIn.value) {
    return `Open in ${shown(openIn.value)}: take it over to go on`;
  }
  if (live.value) {
    return `${ACTS.queue}, or ${ACTS.steer.toLowerCase()} (${STEER_KEY})`;
  }
  return turns.value.length > 0 ? "Ask a follow-up" : "Ask about your workspace";
}

/** Whether a key was the panel's and not the text's. */
function pressed(
  event: KeyboardEvent,
  input: HTMLTextAreaElement,
  accept: (item: Completion) => void,
): boolean {
  const item = items.value[chosen.value];
  return item ? pressedInList(event, () => accept(item)) : pressedInText(event, input);
}

function pressedInList(event: KeyboardEvent, accept: () => void): boolean {
  const acts: Record<string, () => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: accept,
    Tab: accept,
    Escape: () => complete(null),
  };
  const act = event.shiftKey ? undefined : acts[event.key];
  act?.();
  event.stopPropagation();
  return act !== undefined;
}

function pressedInText(event: KeyboardEvent, input: HTMLTextAreaElement): boolean {
  switch (event.key) {
    case "Enter":
      if (!event.shiftKey && mayBeSent()) {
        complete(null); // what is still being looked for would open over the empty input
        send(event.ctrlKey || event.metaKey);
        forgetRecall();
      } else if (!event.shiftKey && openIn.value) {
        seekTakeOver();
      }
      return !event.shiftKey;
    case "ArrowUp":
      return (isRecalling() || draft.value === "") && isAtEdge(input, 0) && recallQuestion(1);
    case "ArrowDown":
      return isRecalling() && isAtEdge(input, input.value.length) && recallQuestion(-1);
    case "Tab":
      return event.shiftKey && seekLast();
    case "Escape":
      if (insteadOf.value !== null) {
        clear();
        event.stopPropagation();
        return true;
      }
      return false;
    default:
      return false;
  }
}

/** Give the focus to the newest card that waits; whether there is one. */
function seekLast(): boolean {
  const last = asks.value.at(-1);
  if (last) {
    seek(last.id);
  }
  return last !== undefined;
}

/** While questions are recalled the cursor is at their end, and may go on up from there. */
function isAtEdge(input: HTMLTextAreaElement, edge: number): boolean {
  const { selectionStart, selectionEnd, value } = input;
  const oneLine = !value.includes("\n");
  return selectionStart === selectionEnd && (oneLine || selectionStart === edge || isRecalling());
}

function Editing() {
  return (
    <div class="editing" role="status">
      <span>Asking this again leaves out the old answer and what followed it.</span>
      <IconButton icon="close" label="Do not edit" act={clear} />
    </div>
  );
}

function Apart() {
  return (
    <div class="editing" role="status">
      <span>In a git worktree of its own: your files stay as they are until you merge.</span>
    </div>
  );
}

function Chips() {
  const selected = insteadOf.value === null ? selection.value : null;
  if (chips.value.length === 0 && !selected) {
    return null;
  }
  return (
    <div class="chips">
      {selected && (
        <ChipView chip={selected} icon="list-selection" remove={() => detach(selected)} />
      )}
      {chips.value.map((chip) => (
        <ChipView key={chipKey(chip)} chip={chip} remove={() => detach(chip)} />
      ))}
    </div>
  );
}
