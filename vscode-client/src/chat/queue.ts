// Messages that wait in a conversation for the end of its run, and how they get there: nothing here
// knows of VS Code.

import { looksLikeCommand } from "../commands/slash.ts";
import type { Chip, Queued } from "../panel/messages.ts";
import { messageOf, UserError } from "../result.ts";
import type { Attachment, PlanChoice } from "../wire.ts";

const QUEUES = "glossator.queues";
const EDITED = "A message was being edited.";
const RESUMED = "They were not sent before.";
const COMMAND = "A command is next, which is carried out in the session that is shown.";

/** As it is kept for another window. */
export type Kept = Omit<Queued, "state">;

/** Those of one conversation, in their order. `held` says why they wait for the user; "" if not. */
export class Queue {
  messages: readonly Queued[] = [];
  held = "";
  #byRun = false; // they wait because of how a run ended

  constructor(kept: readonly Kept[] = [], held = "") {
    this.messages = kept.map((each) => ({ ...each, state: "waiting" }));
    this.held = this.messages.length > 0 ? held : "";
  }

  /** As it goes on in another window. */
  get kept(): readonly Kept[] {
    return this.messages.map(({ state: _, ...each }) => each);
  }

  find(id: string): Queued | undefined {
    return this.messages.find((each) => each.id === id);
  }

  /** It is sent as well: the user goes on after a run that ended badly. */
  add(message: Queued): void {
    this.#runIsPast();
    this.messages = [...this.messages, message];
  }

  change(id: string, change: Partial<Queued>): void {
    this.messages = this.messages.map((each) => (each.id === id ? { ...each, ...change } : each));
  }

  remove(id: string): void {
    this.messages = this.messages.filter((each) => each.id !== id);
    if (this.messages.length === 0) {
      this.held = "";
    }
  }

  /** One place up or down, or to the top. */
  move(id: string, to: "up" | "down" | "top"): void {
    const from = this.messages.findIndex((each) => each.id === id);
    const message = this.messages[from];
    const at = to === "top" ? 0 : from + (to === "up" ? -1 : 1);
    if (message && at >= 0 && at < this.messages.length) {
      this.messages = this.messages.toSpliced(from, 1).toSpliced(at, 0, message);
    }
  }

  /** Wait for the user, and say why. */
  hold(why: string): void {
    this.held = this.messages.length > 0 ? why : "";
    this.#byRun = false;
  }

  /** A run has ended; `problem` says how, if not with an answer. */
  runEnded(problem: string): void {
    this.#runIsPast();
    if (problem && this.held === "") {
      this.hold(problem);
      this.#byRun = true;
    }
  }

  /** Nothing is to be sent any more. */
  clear(): void {
    this.messages = [];
    this.held = "";
  }

  /** What was being edited is as it was; the user has not said that it is to be sent so. */
  stopEditing(): void {
    const editing = this.messages.filter(({ state }) => state === "editing");
    for (const { id } of editing) {
      this.change(id, { state: "waiting" });
      this.hold(EDITED);
    }
  }

  #runIsPast(): void {
    if (this.#byRun) {
      this.hold("");
    }
  }

  /** What is to be asked as soon as no run is on, if the user is not waited for. */
  get next(): Queued | undefined {
    const steers = this.messages.some(({ state }) => state === "steering");
    const [first] = this.messages;
    return this.held === "" && !steers && first?.state === "waiting" ? first : undefined;
  }
}

/** What VS Code keeps with a workspace. */
export interface Store {
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What was not sent yet, by session, for another window. */
export class KeptQueues {
  constructor(private readonly store: Store) {}

  /** The queue of a session. */
  of(sessionId: string): Queue {
    return new Queue(this.#all[sessionId], RESUMED);
  }

  /** Keep what waits; nothing: forget it. */
  keep(sessionId: string, kept: readonly Kept[]): void {
    const { [sessionId]: before, ...others } = this.#all;
    if (before || kept.length > 0) {
      void this.store.update(QUEUES, kept.length > 0 ? { ...others, [sessionId]: kept } : others);
    }
  }

  get #all(): Readonly<Record<string, readonly Kept[]>> {
    return this.store.get(QUEUES, {});
  }
}

/** What is asked, with what is attached. */
export interface Outgoing {
  readonly question: string;
  readonly chips: readonly Chip[];
  readonly attachments: readonly Attachment[];
  readonly plan?: PlanChoice;
}

/** What the queues of conversations need. */
export interface Ports<C extends { readonly queue: Queue }> {
  /** The run that is on in a conversation. */
  runOf(conversation: C): string | undefined;
  /** Whether the model was told; rejects if the words were refused, or taken back by the signal. */
  steer(runId: string, message: Outgoing, signal: AbortSignal): Promise<boolean>;
  /** Ask it, and wait for the end; `ended` is called for each end of a run. */
  ask(conversation: C, message: Outgoing): Promise<void>;
  /** Do what was typed, which looks like a `/` command, in the conversation that is shown. */
  carryOut(conversation: C, message: Outgoing): Promise<void>;
  isShown(conversation: C): boolean;
  /** Show and keep a queue that has changed. */
  show(conversation: C): void;
}

/** Sends what waits, in its order, when runs end; or at once, to a run that is on. */
export class Queueing<C extends { readonly queue: Queue }> {
  readonly #advancing = new Set<C>();
  readonly #waiting = new Set<C>();
  readonly #steering = new Map<string, AbortController>(); // by the message's id

  constructor(private readonly ports: Ports<C>) {}

  /** Those in which messages wait, or are being sent: they are not to be loaded a second time. */
  get conversations(): ReadonlySet<C> {
    return this.#waiting;
  }

  /** A message for the end of the run, or, if it `steers`, for the run itself. */
  async add(conversation: C, message: Omit<Queued, "state">, steers: boolean): Promise<void> {
    conversation.queue.add({ ...message, state: "waiting" });
    await (steers ? this.send(conversation, message.id) : this.advance(conversation));
  }

  /** Send a message before the others: to the run that is on, or as the next question. */
  async send(conversation: C, id: string): Promise<void> {
    const { queue } = conversation;
    const [message, runId] = [queue.find(id), this.ports.runOf(conversation)];
    if (message?.state !== "waiting") {
      return;
    }
    if (runId === undefined) {
      queue.remove(id);
      await this.#ask(conversation, message);
    } else if (looksLikeCommand(message.question)) {
      queue.move(id, "top"); // it is carried out between runs
    } else {
      await this.#steer(conversation, message, runId);
    }
    await this.advance(conversation);
  }

  /** Take words for a run back, as long as the model was not told. */
  takeBack(id: string): void {
    this.#steering.get(id)?.abort();
  }

  /** Change what waits. */
  async change(conversation: C, act: (queue: Queue) => void): Promise<void> {
    act(conversation.queue);
    await this.advance(conversation);
  }

  /** The user says that it goes on. */
  async goOn(conversation: C): Promise<void> {
    await this.change(conversation, (queue) => queue.hold(""));
  }

  /**
   * A run has ended; `problem` says how, if not with an answer. One that was refused before it began
   * has none: undefined.
   */
  async ended(conversation: C, problem: string | undefined): Promise<void> {
    if (problem !== undefined) {
      conversation.queue.runEnded(problem);
    }
    await this.advance(conversation);
  }

  /** Show the queue, and send what comes next. */
  async advance(conversation: C): Promise<void> {
    this.ports.show(conversation);
    if (this.#advancing.has(conversation)) {
      return;
    }
    this.#advancing.add(conversation);
    this.#waiting.add(conversation);
    try {
      for (let next = this.#next(conversation); next; next = this.#next(conversation)) {
        await this.#ask(conversation, next);
      }
    } finally {
      this.#advancing.delete(conversation);
      if (conversation.queue.messages.length === 0) {
        this.#waiting.delete(conversation);
      }
    }
  }

  async #steer(conversation: C, message: Queued, runId: string): Promise<void> {
    const [{ queue }, { id }] = [conversation, message];
    const aborting = new AbortController();
    this.#steering.set(id, aborting);
    queue.change(id, { state: "steering" });
    this.ports.show(conversation);
    try {
      if (await this.ports.steer(runId, outgoing(message), aborting.signal)) {
        queue.remove(id);
      } else {
        queue.move(id, "top");
      }
    } catch (error) {
      if (!aborting.signal.aborted) {
        queue.hold(messageOf(error));
      }
    } finally {
      this.#steering.delete(id);
      queue.change(id, { state: "waiting" });
    }
  }

  #next(conversation: C): Queued | undefined {
    const { queue } = conversation;
    const next = this.ports.runOf(conversation) === undefined ? queue.next : undefined;
    if (next) {
      queue.remove(next.id);
    }
    return next;
  }

  async #ask(conversation: C, message: Queued): Promise<void> {
    this.ports.show(conversation);
    try {
      await this.#askOrCarryOut(conversation, outgoing(message));
    } catch (error) {
      conversation.queue.messages = [message, ...conversation.queue.messages];
      conversation.queue.hold(messageOf(error));
      this.ports.show(conversation);
    }
  }

  async #askOrCarryOut(conversation: C, message: Outgoing): Promise<void> {
    if (!looksLikeCommand(message.question)) {
      await this.ports.ask(conversation, message);
    } else if (this.ports.isShown(conversation)) {
      await this.ports.carryOut(conversation, message);
    } else {
      throw new UserError(COMMAND);
    }
  }
}

function outgoing({ question, chips, plan }: Queued): Outgoing {
  const attachments = chips.map(({ attachment }) => attachment);
  return { question, chips, attachments, ...(plan && { plan }) };
}
