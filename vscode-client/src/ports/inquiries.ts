// What the server wants to know of the user: in the chat panel while it is seen, else in VS Code's
// own pickers. Where it is shown follows the panel, until it is answered or taken back.

import { randomUUID } from "node:crypto";
import { type CancellationToken, CancellationTokenSource, window } from "vscode";
import type { ToPanel } from "../panel/messages.ts";

/**
 * Something to be asked: as a message to the panel, or natively until the token is cancelled. A
 * picker that was closed gives undefined: VS Code closes one to show another, so that is no answer.
 */
export interface Inquiry<Answer> {
  readonly title: string;
  message(id: string): ToPanel;
  ask(token: CancellationToken): Promise<Answer | undefined>;
}

const ANSWER = "Answer…";
const REFUSE = "Refuse";

/** Where messages go while somebody can see them. */
export interface Stage {
  readonly visible: boolean;
  post(message: ToPanel): void;
}

interface Pending {
  readonly id: string;
  readonly inquiry: Inquiry<unknown>;
  readonly settle: (answer: unknown) => void;
}

/** All that is waiting for the user's answer. */
export class Inquiries {
  readonly #pending = new Map<string, Pending>();
  #native: { readonly id: string; readonly source: CancellationTokenSource } | undefined;

  constructor(private readonly stage: Stage) {}

  /** Ask; null when there is no answer, or the server takes the question back. */
  async ask<Answer>(inquiry: Inquiry<Answer>, token: CancellationToken): Promise<Answer | null> {
    const id = randomUUID();
    const answer = new Promise<unknown>((settle) => this.#pending.set(id, { id, inquiry, settle }));
    const taken = token.onCancellationRequested(() => this.answer(id, null));
    if (this.stage.visible) {
      this.stage.post(inquiry.message(id));
    } else {
      this.#next();
    }
    try {
      return (await answer) as Answer | null;
    } finally {
      taken.dispose();
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
      this.#withdraw();
    }
    pending.settle(answer);
    this.#next();
  }

  /** The panel came into sight, or went out of it: show everything where it can be seen now. */
  moved(): void {
    this.#withdraw();
    if (this.stage.visible) {
      for (const { id, inquiry } of this.#pending.values()) {
        this.stage.post(inquiry.message(id));
      }
    } else {
      this.#next();
    }
  }

  /** VS Code has one picker at a time, so the others wait. */
  #next(): void {
    const [first] = this.#pending.values();
    if (this.#native || this.stage.visible || !first) {
      return;
    }
    const source = new CancellationTokenSource();
    this.#native = { id: first.id, source };
    void askUntilAnswered(first.inquiry, source.token).then((answer) => {
      if (!source.token.isCancellationRequested) {
        this.#native = undefined;
        this.answer(first.id, answer);
      }
    });
  }

  #withdraw(): void {
    const native = this.#native;
    this.#native = undefined;
    native?.source.cancel();
  }
}

/** A picker that is closed leaves a notification behind; closing that as well is no answer. */
async function askUntilAnswered(
  inquiry: Inquiry<unknown>,
  token: CancellationToken,
): Promise<unknown> {
  for (;;) {
    const answer = await inquiry.ask(token);
    if (answer !== undefined || token.isCancellationRequested) {
      return answer ?? null;
    }
    const waiting = `Glossator waits for your answer: ${inquiry.title}`;
    const pressed = await window.showWarningMessage(waiting, ANSWER, REFUSE);
    if (pressed !== ANSWER || token.isCancellationRequested) {
      return null; // it was answered in the panel meanwhile, or is refused
    }
  }
}
