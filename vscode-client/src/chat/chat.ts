// The conversations of this window: which one is shown, what is asked in it, what comes back.

import { randomUUID } from "node:crypto";
import { type Disposable, EventEmitter, type Memento } from "vscode";
import type { LineAction, Lines } from "../commands/actions.ts";
import type { Asked, Chip, ToPanel } from "../panel/messages.ts";
import { messageOf, UserError } from "../result.ts";
import type { Server, ServerState } from "../server/server.ts";
import type { Answer, Attachment, Event, SessionInfo } from "../wire.ts";
import { Conversation } from "./conversation.ts";
import { Outbox } from "./outbox.ts";
import { Transcript } from "./transcript.ts";

const KEPT = "glossator.session";
const GONE = "Glossator's server ended before the answer was whole. Ask again.";

/** Where messages to the panel go; without a panel they go nowhere, and are replayed later. */
export interface Panel {
  readonly visible: boolean;
  post(message: ToPanel): void;
}

/** How a run ended, for those who do not see the panel. */
export interface Ending {
  readonly question: string;
  readonly answer?: Answer;
  readonly problem?: string;
}

/** A question, as the panel or a command puts it. */
export interface Asking extends Asked {
  readonly attachments: readonly Attachment[];
  /** It takes the place of that run and of what followed, in the conversation that is shown. */
  readonly insteadOf?: string | null;
}

/** Owns what is shown in the panel; all of it can be shown again. */
export class Chat implements Disposable {
  readonly #changes = new EventEmitter<void>();
  readonly #endings = new EventEmitter<Ending>();
  readonly #outbox: Outbox;
  readonly #runs = new Map<string, Conversation>();
  #current = new Conversation();
  #restored: Promise<void> | undefined;

  /** Fired when the session shown is another one, or is called something else. */
  readonly onChange = this.#changes.event;
  /** Fired when a run has ended. */
  readonly onEnding = this.#endings.event;

  constructor(
    private readonly server: Server,
    private readonly memento: Memento,
    panel: Panel,
  ) {
    this.#outbox = new Outbox((message) => panel.post(message));
    server.onEvent((event) => this.#told(event));
    server.onState((state) => this.#serverIs(state));
  }

  /** The session that is shown, if it was begun. */
  get sessionId(): string | undefined {
    return this.#current.id;
  }

  /** What lists say of it. */
  get session(): SessionInfo | null {
    return this.#current.info;
  }

  /** The runs under way, of all conversations. */
  get running(): string[] {
    return [...this.#runs.keys()];
  }

  /** Ask in the conversation that is shown; in a new one while that is busy. */
  async ask(asking: Asking): Promise<void> {
    const { runId, question, attachments, insteadOf = null } = asking;
    if (insteadOf !== null) {
      await this.#goBackTo(insteadOf);
    }
    await this.#follow(asking, (sessionId) =>
      this.server.run("glossator.ask", { question, attachments, runId, sessionId }),
    );
  }

  /** Ask the last question anew, in its place. Throws `UserError` if there is none. */
  async again(): Promise<void> {
    const last = this.#current.transcript.events.findLast((event) => event.kind === "run.started");
    if (!last) {
      throw new UserError("Nothing was asked in this session yet, so there is nothing to retry.");
    }
    const { runId: insteadOf, question } = last;
    const chips = this.#current.asked.find((each) => each.runId === insteadOf)?.chips ?? [];
    const attachments = chips.map((chip) => chip.attachment);
    await this.ask({ runId: randomUUID(), question, chips, attachments, insteadOf });
  }

  /** Have something done with lines; the server words the question, ours is for failures. */
  async act(action: LineAction, lines: Lines, question: string, chip: Chip): Promise<void> {
    const runId = randomUUID();
    const alike = action as "glossator.explain"; // all take the same, and give an answer
    await this.#follow({ runId, question, chips: [chip] }, (sessionId) =>
      this.server.run(alike, { ...lines, runId, sessionId }),
    );
  }

  /** End a run, or all of them. */
  async stop(runId: string | null = null): Promise<void> {
    await this.server.run("glossator.cancel", { runId });
  }

  /** Begin anew: there is a session once something is asked. */
  show(conversation = new Conversation()): void {
    this.#current = conversation;
    void this.memento.update(KEPT, conversation.id);
    this.replay();
    this.#changes.fire();
  }

  /** Go on with a session. */
  async resume(sessionId: string): Promise<void> {
    const live = [this.#current, ...this.#runs.values()].find((each) => each.id === sessionId);
    this.show(live ?? (await this.#load(sessionId)));
  }

  /** Call a session something else. */
  async rename(sessionId: string, title: string): Promise<void> {
    const info = await this.server.run("glossator.renameSession", { sessionId, title });
    if (this.#current.id === sessionId) {
      this.#current.info = info;
      this.#changes.fire();
    }
  }

  /** Delete a session for good. */
  async remove(sessionId: string): Promise<void> {
    await this.server.run("glossator.deleteSession", { sessionId });
    if (this.#current.id === sessionId) {
      this.show();
    }
  }

  /** The sessions of this workspace, last changed first. */
  async list(): Promise<readonly SessionInfo[]> {
    return (await this.server.run("glossator.listSessions", {})).sessions;
  }

  /** Show everything again, from the beginning. */
  replay(): void {
    const { transcript, asked } = this.#current;
    const { events, answers } = transcript;
    this.#outbox.clear();
    this.#outbox.send({ type: "replay", events, answers, asked });
  }

  dispose(): void {
    this.#outbox.clear();
    this.#changes.dispose();
    this.#endings.dispose();
  }

  /** Files stay as they are; a run that was refused is in no conversation. */
  async #goBackTo(runId: string): Promise<void> {
    const conversation = this.#current;
    const { id: sessionId, transcript, asked } = conversation;
    if (sessionId !== undefined && transcript.knows(runId)) {
      await this.server.run("glossator.rewind", { sessionId, runId });
    }
    transcript.cutFrom(runId);
    asked.splice(asked.findIndex((each) => each.runId === runId));
    if (conversation === this.#current) {
      this.replay();
    }
  }

  /** What was shown before the window was loaded anew; a session that is gone is forgotten. */
  async #restore(): Promise<void> {
    const id = this.memento.get<string>(KEPT);
    if (id !== undefined && this.#current.id === undefined && this.#runs.size === 0) {
      try {
        this.show(await this.#load(id));
      } catch {
        await this.memento.update(KEPT, undefined);
      }
    }
  }

  async #load(sessionId: string): Promise<Conversation> {
    const { session, events } = await this.server.run("glossator.resumeSession", { sessionId });
    return new Conversation(session.id, session, new Transcript(events));
  }

  async #follow(asked: Asked, run: (sessionId: string | null) => Promise<Answer>): Promise<void> {
    await this.#restored;
    if (this.#current.busy) {
      this.show();
    }
    const conversation = this.#current;
    const { runId, question, chips } = asked;
    conversation.asked.push({ runId, question, chips });
    this.#runs.set(runId, conversation);
    this.#send(conversation, { type: "begun", asked: { runId, question, chips } });
    try {
      const answer = await run(conversation.id ?? null);
      conversation.transcript.settle(answer);
      this.#send(conversation, { type: "answer", answer });
      this.#endings.fire({ question, answer });
    } catch (error) {
      this.#failed(conversation, asked, messageOf(error));
      this.#tellEnding(conversation, asked);
    } finally {
      this.#runs.delete(runId);
      await this.#describe(conversation);
    }
  }

  /** A run that was stopped, or told of its failure, has said so already. */
  #failed(conversation: Conversation, { runId, question }: Asked, message: string): void {
    const sessionId = conversation.id ?? "";
    const about = { sessionId, attachments: [], onlyReads: false };
    const started = { runId, question, ...about, model: "", offline: false };
    const events = conversation.transcript.fail(started, message);
    for (const event of events) {
      this.#deliver(conversation, event);
    }
  }

  #tellEnding(conversation: Conversation, { runId, question }: Asked): void {
    const last = conversation.transcript.events.findLast((event) => event.runId === runId);
    if (last?.kind === "run.failed") {
      this.#endings.fire({ question, problem: last.message });
    }
  }

  #told(event: Event): void {
    const conversation = this.#runs.get(event.runId);
    if (!conversation) {
      return;
    }
    conversation.transcript.add(event);
    if (event.kind === "run.started" && conversation.id === undefined) {
      conversation.id = event.sessionId;
      if (conversation === this.#current) {
        void this.memento.update(KEPT, event.sessionId);
      }
      void this.#describe(conversation);
    }
    this.#deliver(conversation, event);
  }

  #deliver(conversation: Conversation, event: Event): void {
    if (conversation === this.#current) {
      this.#outbox.event(event);
    }
  }

  #send(conversation: Conversation, message: ToPanel): void {
    if (conversation === this.#current) {
      this.#outbox.send(message);
    }
  }

  /** The title is made by the server. */
  async #describe(conversation: Conversation): Promise<void> {
    try {
      const sessions = await this.list();
      conversation.info = sessions.find((each) => each.id === conversation.id) ?? null;
    } catch {
      return; // the server is gone: what was known stays
    }
    this.#changes.fire();
  }

  #serverIs({ phase }: ServerState): void {
    if (phase === "ready") {
      this.#restored ??= this.#restore();
      return;
    }
    for (const [runId, conversation] of phase === "starting" ? [] : this.#runs) {
      const asked = conversation.asked.find((each) => each.runId === runId);
      if (asked) {
        this.#failed(conversation, asked, GONE);
      }
    }
  }
}
