// What the server wants to know of the user: on a card in the chat panel while that is in sight, else
// in a notification, which takes no focus. Nothing is answered by keys meant for the editor:
// a picker opens only when the user asks to see what is asked, and only where the panel cannot be used.

import { randomUUID } from "node:crypto";
import type { ToPanel } from "../panel/messages.ts";

/** What is asked, in words that can be shown as they are. */
export interface Asked {
  /** One line, such as `May Bash run? make deploy … and 70 more lines`. */
  readonly summary: string;
  /** The session that it is asked in; of an edit outside any session both are empty. */
  readonly sessionId: string;
  readonly sessionTitle: string;
}

/**
 * Something to be asked: as a message to the panel, or natively until the signal aborts. A picker
 * that was closed gives undefined: VS Code closes one to show another, so that is no answer.
 */
export interface Inquiry<Answer> extends Asked {
  /** What says no in one press, and the answer that it is. */
  readonly refusal: { readonly label: string; readonly answer: Answer | null };
  message(id: string): ToPanel;
  ask(signal: AbortSignal, leftOut: ReadonlySet<string>): Promise<Answer | undefined>;
  /** Show all that it is about as a document. */
  open(): Promise<void>;
  /** The answer with what the user said elsewhere: parts to leave out, a text that they changed. */
  complete?(answer: Answer, leftOut: ReadonlySet<string>): Answer;
  /** Have it answered at another place as well, until it needs no answer. */
  beside?(sheet: Sheet<Answer>): Beside;
}

/** How another place answers. Which parts are left out is the same there and on the card. */
export interface Sheet<Answer> {
  readonly leftOut: () => ReadonlySet<string>;
  readonly leaveOut: (part: string, out: boolean) => void;
  readonly answer: (given: Answer) => void;
}

/** Another place that answers; `changed`: other parts are left out than before. */
export interface Beside {
  changed(): void;
  dispose(): void;
}

/** Where messages go while somebody can see them. */
export interface Stage {
  readonly visible: boolean;
  post(message: ToPanel): void;
  /** Bring a session into sight, or where it can be shown; false where that cannot be. */
  reveal(sessionId: string): Promise<boolean>;
}

/** What else is needed of the window. */
export interface Desk {
  /** A notification: the button that was pressed, or undefined once it is closed. */
  notify(message: string, ...buttons: string[]): PromiseLike<string | undefined>;
  /** Show a session in the panel. */
  goTo(sessionId: string): Promise<void>;
  /** Another number of answers is waited for. */
  changed(): void;
  /** Something went wrong on the way. */
  failed(error: unknown): void;
}

/** Ends a wait when the server takes a request back, as VS Code's tokens do. */
interface Token {
  onCancellationRequested(listener: () => void): { dispose(): void };
}

interface Pending {
  readonly id: string;
  readonly inquiry: Inquiry<unknown>;
  readonly settle: (answer: unknown) => void;
  /** The ids of the parts that the user leaves out, wherever that was said. */
  leftOut: ReadonlySet<string>;
  beside: Beside | undefined;
}

const SHOW = "Show…";

/** All that is waiting for the user's answer. */
export class Inquiries {
  readonly #pending = new Map<string, Pending>();
  #native: { readonly id: string; readonly end: AbortController } | undefined;
  #expected = 0; // pieces of work whose question the user waits for

  constructor(
    private readonly stage: Stage,
    private readonly desk: Desk,
  ) {}

  /** What waits, the oldest first. */
  get waiting(): readonly Asked[] {
    return [...this.#pending.values()].map(({ inquiry }) => inquiry);
  }

  /** Ask; null when there is no answer, or the server takes the question back. */
  async ask<Answer>(inquiry: Inquiry<Answer>, token: Token): Promise<Answer | null> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const pending: Pending = {
      id,
      inquiry,
      settle: resolve,
      leftOut: new Set(),
      beside: undefined,
    };
    this.#pending.set(id, pending);
    const taken = token.onCancellationRequested(() => this.answer(id, null));
    if (this.#expected > 0 && inquiry.sessionId === "") {
      if (this.stage.visible) {
        this.stage.post(inquiry.message(id));
      }
      this.show(id).catch((error) => this.desk.failed(error));
    } else {
      this.#present(pending);
    }
    this.desk.changed();
    pending.beside = inquiry.beside?.({
      leftOut: () => pending.leftOut,
      leaveOut: (part, out) => this.leaveOut(id, part, out),
      answer: (given) => this.answer(id, given),
    });
    try {
      return (await promise) as Answer | null;
    } finally {
      pending.beside?.dispose();
      taken.dispose();
    }
  }

  /** Do what the user started and is asked about, outside any session: that is shown at once. */
  async expecting<T>(work: () => Promise<T>): Promise<T> {
    this.#expected += 1;
    try {
      return await work();
    } finally {
      this.#expected -= 1;
    }
  }

  /** The user's answer; what needs none any more is taken away wherever it is shown. */
  answer(id: string, answer: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending) {
      return;
    }
    this.#pending.delete(id);
    this.stage.post({ type: "withdrawn", id });
    if (this.#native?.id === id) {
      this.#closePicker();
    }
    const { inquiry, leftOut } = pending;
    pending.settle(answer === null ? null : (inquiry.complete?.(answer, leftOut) ?? answer));
    this.desk.changed();
  }

  /** The user leaves a part out, or takes it after all: that is shown wherever the parts are. */
  leaveOut(id: string, part: string, out: boolean): void {
    const pending = this.#pending.get(id);
    if (!pending) {
      return;
    }
    const others = [...pending.leftOut].filter((each) => each !== part);
    pending.leftOut = new Set(out ? [...others, part] : others);
    this.stage.post({ type: "leftOut", id, parts: [...pending.leftOut] });
    pending.beside?.changed();
  }

  /** The panel came into sight, or went out of it: show everything where it can be seen now. */
  moved(): void {
    if (this.stage.visible) {
      this.#closePicker();
    }
    for (const pending of this.#pending.values()) {
      if (this.#native?.id !== pending.id) {
        this.#present(pending);
      }
    }
  }

  /** The server is gone, and with it all that it asked. */
  withdrawAll(): void {
    const gone = this.waiting;
    for (const id of [...this.#pending.keys()]) {
      this.answer(id, null);
    }
    if (gone.length > 0) {
      const what = gone.map(({ summary }) => summary).join("; ");
      void this.desk.notify(
        `Glossator's server ended, so this needs no answer any more, and nothing was done: ${what}`,
      );
    }
  }

  /** Have the user see what is asked, or what waits longest: as its card, else as a picker. */
  async show(id = this.#pending.keys().next().value): Promise<void> {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (!pending) {
      void this.desk.notify("Glossator waits for no answer any more.");
      return;
    }
    const { sessionId } = pending.inquiry;
    if (await this.stage.reveal(sessionId)) {
      await this.desk.goTo(sessionId);
      this.stage.post({ type: "focusAsk", id: pending.id });
    } else {
      await this.#pick(pending);
    }
  }

  /** Show all that something asked is about. */
  async open(id: string): Promise<void> {
    await this.#pending.get(id)?.inquiry.open();
  }

  #present({ id, inquiry, leftOut }: Pending): void {
    if (this.stage.visible) {
      this.stage.post(inquiry.message(id));
      if (leftOut.size > 0) {
        this.stage.post({ type: "leftOut", id, parts: [...leftOut] });
      }
    } else {
      this.#notify(id, inquiry).catch((error) => this.desk.failed(error));
    }
  }

  /** A notification that is closed is no answer: the badge and the status bar still tell of it. */
  async #notify(id: string, { summary, sessionTitle, refusal }: Inquiry<unknown>): Promise<void> {
    const where = sessionTitle ? ` (in "${sessionTitle}")` : "";
    const waits = `Glossator waits for your answer${where}: ${summary}`;
    const pressed = await this.desk.notify(waits, SHOW, refusal.label);
    if (pressed === SHOW) {
      await this.show(id);
    } else if (pressed === refusal.label) {
      this.answer(id, refusal.answer);
    }
  }

  async #pick(pending: Pending): Promise<void> {
    const { id, inquiry, leftOut } = pending;
    this.#closePicker();
    const end = new AbortController();
    this.#native = { id, end };
    const answer = await inquiry.ask(end.signal, leftOut);
    if (end.signal.aborted) {
      return;
    }
    this.#native = undefined;
    if (answer === undefined) {
      this.#present(pending);
    } else {
      this.answer(id, answer);
    }
  }

  #closePicker(): void {
    const native = this.#native;
    this.#native = undefined;
    native?.end.abort();
  }
}
