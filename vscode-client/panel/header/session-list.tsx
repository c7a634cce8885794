// The sessions of the workspace: search, resume, rename, delete.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shown } from "../../src/shown.ts";
import { TYPING_MILLISECONDS } from "../../src/typing.ts";
import { ACTS, type SessionInfo } from "../../src/wire.ts";
import { counted, ended, words as wordsOf } from "../../src/worktree.ts";
import { tell } from "../host.ts";
import { ago } from "../state/figures.ts";
import { focusing, listing, openSession, sessions, sessionWords, situation } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { TitleField } from "./title-field.tsx";

const LOOK_MILLISECONDS = 2000; // after which the list is asked for again, while some are at work

/** The list, in the place of the conversation. */
export function SessionList() {
  const [words, setWords] = useState("");
  const search = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => search.current?.focus(), []);
  const [all, held] = [sessions.value, sessionWords.value];
  const found = all ?? [];
  useEffect(() => {
    if (held === words) {
      return;
    }
    const timer = setTimeout(() => tell({ type: "listSessions", words }), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [words, held]);
  const running = situation.value.running ?? 0;
  const last = useRef(running);
  useEffect(() => {
    if (running !== last.current) {
      last.current = running;
      tell({ type: "listSessions", words: held });
    }
  }, [running, held]);
  const busy = found.some((each) => each.running);
  useEffect(() => {
    if (all !== null && busy) {
      const timer = setTimeout(
        () => tell({ type: "listSessions", words: held }),
        LOOK_MILLISECONDS,
      );
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [all, busy, held]);
  return (
    <section
      class="sessions"
      aria-label="Sessions"
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          step(event.currentTarget, event.key === "ArrowDown" ? 1 : -1);
        }
      }}
    >
      <input
        class="field session-search"
        type="search"
        aria-label="Search sessions"
        placeholder="Search titles and questions"
        ref={search}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <p class="session-none" role="status">
        {all === null ? "Loading…" : found.length === 0 ? none(held) : ""}
      </p>
      <ul>
        {found.map((session) => (
          <Row key={session.id} session={session} search={search} />
        ))}
      </ul>
    </section>
  );
}

function none(words: string): string {
  return words === ""
    ? "No sessions yet. Ask something, and it is kept here."
    : "No title and no question holds these words.";
}

interface RowProps {
  readonly session: SessionInfo;
  readonly search: RefObject<HTMLInputElement | null>;
}

function Row({ session, search }: RowProps) {
  const [renaming, setRenaming] = useState(false);
  const back = useRef(false); // the focus, once there is a row again
  const { id, title, running, waits, updatedAt, found, elsewhere, worktree } = session;
  const current = situation.value.session?.id === id;
  if (renaming) {
    return (
      <li>
        <TitleField
          title={title}
          done={(words, byKey) => {
            back.current = byKey;
            setRenaming(false);
            if (words !== null) {
              tell({ type: "renameSession", id, title: words });
            }
          }}
        />
      </li>
    );
  }
  return (
    <li class={current ? "current" : ""}>
      <button
        type="button"
        class="session"
        aria-current={current}
        ref={(row) => {
          if (row && back.current) {
            back.current = false;
            row.focus();
          }
        }}
        onClick={() => {
          openSession(id);
          close();
        }}
      >
        <span class="session-title">
          {waits ? <Icon name="bell-dot" tone="mixed" /> : running && <Icon name="loading" spin />}
          <Shown text={title || "Untitled"} />
        </span>
        {found && (
          <span class="session-found">
            <Shown text={found} />
          </span>
        )}
        {worktree && (
          <span class="session-branch">
            <Icon name="worktree" />
            <Shown text={wordsOf(worktree)} />
            {counted(worktree, running)}
          </span>
        )}
        <span class="session-when">
          {elsewhere ? (
            <Shown text={`open in ${elsewhere}`} />
          ) : waits ? (
            "waits for you"
          ) : running ? (
            "running"
          ) : (
            ago(updatedAt, Date.now())
          )}
        </span>
      </button>
      {elsewhere && (
        <button
          type="button"
          class="link session-over"
          aria-label={`${ACTS.takeOver} ${shown(title)}`}
          title="Its turn there ends; all that was done is kept"
          onClick={() => {
            tell({ type: "takeOver", id });
            close();
          }}
        >
          {ACTS.takeOver}
        </button>
      )}
      <span class="session-buttons">
        {worktree && !ended(worktree) && (
          <>
            <IconButton
              icon="git-merge"
              label={`${ACTS.merge} ${shown(title)}`}
              disabled={running}
              act={() => tell({ type: "mergeWorktree", id })}
            />
            <IconButton
              icon="discard"
              label={`${ACTS.discard} the worktree of ${shown(title)}`}
              disabled={running}
              act={() => tell({ type: "discardWorktree", id })}
            />
          </>
        )}
        <IconButton icon="edit" label={`Rename ${shown(title)}`} act={() => setRenaming(true)} />
        <IconButton
          icon="trash"
          label={`Delete ${shown(title)}`}
          act={() => {
            search.current?.focus(); // the button goes with its row
            tell({ type: "deleteSession", id });
          }}
        />
      </span>
    </li>
  );
}

function close(): void {
  listing.value = false;
  focusing.value += 1;
}

function step(list: HTMLElement, by: number): void {
  const rows = [...list.querySelectorAll<HTMLElement>(".session-search, .session")];
  const at = rows.findIndex((row) => row.matches(":focus"));
  rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}
