// Above the conversation: which one it is, and how to get to others.

import { useRef, useState } from "preact/hooks";
import { tell } from "../host.ts";
import { listing, newSession, situation } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Shown } from "../ui/shown.tsx";
import { TitleField } from "./title-field.tsx";

/** The session's title, and the buttons for sessions. */
export function Header() {
  const { session, offline } = situation.value;
  const [renaming, setRenaming] = useState(false);
  const back = useRef(false); // the focus, once there is a button again
  const list = () => {
    listing.value = !listing.value;
    if (listing.value) {
      tell({ type: "listSessions", words: "" });
    }
  };
  return (
    <header class="header">
      <h1>
        {session && renaming ? (
          <TitleField
            title={session.title}
            done={(title, byKey) => {
              back.current = byKey;
              setRenaming(false);
              if (title !== null) {
                tell({ type: "renameSession", id: session.id, title });
              }
            }}
          />
        ) : (
          <button
            type="button"
            class="title"
            ref={(button) => {
              if (button && back.current) {
                back.current = false;
                button.focus();
              }
            }}
            disabled={!session}
            title={session ? "Rename this session" : ""}
            onClick={() => setRenaming(true)}
          >
            <Shown text={session?.title || "New session"} />
          </button>
        )}
      </h1>
      {offline && (
        <span class="tag" title="No model is asked: answers are quotes from your files.">
          offline
        </span>
      )}
      <IconButton icon="add" label="New session" act={newSession} />
      <IconButton icon="history" label="Sessions" pressed={listing.value} act={list} />
    </header>
  );
}
