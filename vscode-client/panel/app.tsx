// The panel, put together.

import { useState } from "preact/hooks";
import { Announcer } from "./announcer.tsx";
import { Banner } from "./header/banner.tsx";
import { Elsewhere, OpenElsewhere } from "./header/elsewhere.tsx";
import { Header } from "./header/header.tsx";
import { SessionList } from "./header/session-list.tsx";
import { WorktreeLine } from "./header/worktree.tsx";
import { Composer } from "./input/composer.tsx";
import { drop } from "./input/dropping.ts";
import { Going } from "./input/going.tsx";
import { QueueView } from "./input/queue.tsx";
import { Strips } from "./input/strips.tsx";
import { asks, insteadOf, known, listing, stop, turns } from "./store.ts";
import { Transcript } from "./transcript.tsx";
import { Welcome } from "./welcome.tsx";

/** All of it. Escape stops a run from wherever the focus is, unless something closes first. */
export function App() {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears what nothing inside it has taken
    <div
      class={`panel ${over ? "over" : ""}`}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !closes(event.target)) {
          stop();
        }
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => setOver(event.relatedTarget !== null)}
      onDrop={(event) => {
        setOver(false);
        if (drop(event.dataTransfer) || !isField(event.target)) {
          event.preventDefault(); // words go into the field where they are dropped
        }
      }}
    >
      <Header />
      <WorktreeLine />
      <Banner />
      <Elsewhere />
      <OpenElsewhere />
      <main class="main">{listing.value ? <SessionList /> : <Conversation />}</main>
      <Strips />
      <QueueView />
      <Going />
      <Composer />
      <Announcer />
    </div>
  );
}

function isField(place: EventTarget | null): boolean {
  return place instanceof Element && place.matches("textarea, input");
}

/** Whether Escape means something else where it was pressed: it closes a list, or ends an edit. */
function closes(place: EventTarget | null): boolean {
  const field = place instanceof Element && place.matches(".field");
  return field || listing.value || insteadOf.value !== null;
}

function Conversation() {
  if (!known.value) {
    return null;
  }
  return turns.value.length + asks.value.length === 0 ? (
    <Welcome />
  ) : (
    <Transcript key={turns.value[0]?.runId} />
  );
}
