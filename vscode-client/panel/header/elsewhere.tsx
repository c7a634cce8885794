// What waits for an answer where it is not seen: in another session, or behind the list of sessions.
// And what is shown here, but goes on somewhere else.

import { ACTS } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { askerOf } from "../state/model.ts";
import { asks, elsewhere, listing, openIn, openSession } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** A line for each session that waits. */
export function Elsewhere() {
  const hidden = [...elsewhere.value, ...(listing.value ? asks.value : [])].map(askerOf);
  const sessions = new Map(hidden.map(({ sessionId, sessionTitle }) => [sessionId, sessionTitle]));
  return (
    <>
      {[...sessions].map(([id, title]) => (
        <p key={id} class="banner waits" role="status">
          <Icon name="bell-dot" tone="mixed" />
          <span class="waits-words">
            <strong>
              <Shown text={title || "A session"} />
            </strong>{" "}
            waits for your answer
          </span>
          <button type="button" class="link" onClick={() => goTo(id)}>
            Go there
          </button>
        </p>
      ))}
    </>
  );
}

/** The session that is shown is another program's now: it is only read here. */
export function OpenElsewhere() {
  const where = openIn.value;
  return (
    where && (
      <p class="banner waits" id="open-elsewhere" role="status">
        <Icon name="lock" tone="mixed" />
        <span class="waits-words">
          This session is open in <Shown text={where} />. Here it is only read.
        </span>
        <button
          type="button"
          class="link"
          aria-describedby="open-elsewhere"
          title="Its turn there ends; all that was done is kept"
          onClick={() => tell({ type: "command", command: "glossator.takeOver" })}
        >
          {ACTS.takeOver}
        </button>
      </p>
    )
  );
}

/** The way on from there takes the focus, which is seen and said. */
export function seekTakeOver(): void {
  document.querySelector<HTMLElement>("#open-elsewhere button")?.focus();
}

function goTo(id: string): void {
  listing.value = false;
  if (elsewhere.value.some((ask) => askerOf(ask).sessionId === id)) {
    openSession(id);
  }
}
