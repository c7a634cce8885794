// Events on their way to the panel: many small ones become one message for each drawing.

import type { ToPanel } from "../panel/messages.ts";
import type { Event } from "../wire.ts";
import { joined } from "./transcript.ts";

const DRAWING_MILLISECONDS = 50; // text flows, and keys need not wait while it is drawn

/** Where messages to the panel go; without a panel they go nowhere, and are replayed later. */
export interface Panel {
  readonly visible: boolean;
  post(message: ToPanel): void;
}

/** Sends in order; `post` is called at most 20 times a second for events. */
export class Outbox {
  #waiting: Event[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly post: (message: ToPanel) => void) {}

  /** With the others of this drawing. */
  event(event: Event): void {
    const merged = joined(this.#waiting.at(-1), event);
    if (merged) {
      this.#waiting[this.#waiting.length - 1] = merged;
    } else {
      this.#waiting.push(event);
    }
    this.#timer ??= setTimeout(() => this.flush(), DRAWING_MILLISECONDS);
  }

  /** At once, behind the events that are waiting. */
  send(message: ToPanel): void {
    this.flush();
    this.post(message);
  }

  /** What is waiting goes out now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length > 0) {
      this.post({ type: "events", events });
    }
  }

  /** What is waiting is not wanted any more. */
  clear(): void {
    this.#waiting = [];
    this.flush();
  }
}
