// One chat: the conversation that is shown in the view, or in an editor tab, and what is asked in it.

import { randomUUID } from "node:crypto";
import { Disposable, type LogOutputChannel } from "vscode";
import { linesChip } from "../editor/chips.ts";
import type { OnLines } from "../lines.ts";
import type { Asked, ToPanel } from "../panel/messages.ts";
import { messageOf, UserError } from "../result.ts";
import type { Server, ServerState } from "../server/server.ts";
import type { Answer, Event, Mode, SessionInfo } from "../wire.ts";
import { type Asking, changes, type MayReplace } from "./asking.ts";
import { Conversation } from "./conversation.ts";
import type { Conversations, Viewer } from "./conversations.ts";
import { Outbox, type Panel } from "./outbox.ts";

/** What brings its session back after the window was reloaded. */
export interface Bookmark {
  readonly sessionId: string | undefined;
  keep(sessionId: string | undefined): void;
}

/** What it needs of others. */
export interface Others {
  readonly mayReplace: MayReplace;
  /** Bring a session into sight that another chat shows; false if none does. */
  bringsElsewhere(sessionId: string): Promise<boolean>;
}

/** Owns what is shown in one panel; all of it can be shown again. */
export class Chat implements Viewer, Disposable {
  readonly #outbox: Outbox;
  readonly #listening: Disposable;
  #current: Conversation;
  #restored: Promise<void> | undefined;
  #awaited: string | undefined; // the session that is to come back

  /** Does what was typed in the conversation that is shown: a question, or a command of the chat. */
  carryOut: (asking: Asking) => Promise<void> = (asking) => this.ask(asking);

  constructor(
    readonly conversations: Conversations,
    private readonly server: Server,
    panel: Panel,
    private readonly bookmark: Bookmark,
    private readonly others: Others,
    private readonly log: LogOutputChannel,
    conversation = new Conversation(),
  ) {
    this.#current = conversation;
    this.#awaited = bookmark.sessionId;
    this.#outbox = new Outbox((message) => panel.post(message));
    this.#listening = Disposable.from(
      conversations.add(this),
      conversations.onChange(() => this.#keep()),
      server.onState((state) => this.#serverIs(state)),
    );
    this.#serverIs(server.state);
  }

  /** The session that is shown, if it was begun. */
  get sessionId(): string | undefined {
    return this.#current.id;
  }

  /** What is shown. */
  get shown(): Conversation {
    return this.#current;
  }

  /** What lists say of it. */
  get session(): SessionInfo | null {
    return this.#current.info;
  }

  /** Ask in the conversation that is shown; in a new one while that is busy. */
  async ask(asking: Asking): Promise<void> {
    const { runId, question, chips, insteadOf = null } = asking;
    await this.#isBack();
    const { id, transcript } = this.#current;
    if (insteadOf !== null && id !== undefined && transcript.knows(insteadOf)) {
      await this.#retry(asking, id, insteadOf);
      return;
    }
    const action = this.#current.refusedAction(insteadOf, question);
    this.#current.cutFrom(insteadOf);
    if (action) {
      await this.#act(action, { runId, question, chips, action });
      return;
    }
    await this.conversations.ask(this.#free(), asking);
  }

  /**
   * Carry out the plan that the last run ended with, or `plan`, as the user changed it. The server
   * words it, ours is for failures, and sets the mode as the run begins.
   */
  async startPlan(mode: Mode, plan: string, runId: string): Promise<void> {
    const sessionId = this.#current.id;
    if (sessionId === undefined || this.conversations.isBusy(this.#current)) {
      throw new UserError("There is no plan in this session that waits to be started.");
    }
    await this.follow({ runId, question: "Start the plan.", chips: [] }, () =>
      this.server.run("glossator.startPlan", { sessionId, mode, runId, plan }),
    );
  }

  /** Ask the last question again, in its place. Throws `UserError` if there is none. */
  async again(): Promise<void> {
    const { last } = this.#current;
    if (!last) {
      throw new UserError("Nothing was asked in this session yet, so there is nothing to retry.");
    }
    if (this.conversations.isBusy(this.#current)) {
      throw new UserError("The answer is still on its way. Stop it first, or wait for its end.");
    }
    const { runId: insteadOf, question, chips } = last;
    const attachments = chips.map((chip) => chip.attachment);
    await this.ask({ runId: randomUUID(), question, chips, attachments, insteadOf });
  }

  /** Have something done with lines; the server words the question, ours is for failures. */
  async act(action: OnLines, question: string): Promise<void> {
    const chips = [linesChip(action.lines)];
    await this.#act(action, { runId: randomUUID(), question, chips, action });
  }

  /** Show a question that `run` answers; in a new conversation while the one shown is busy. */
  async follow(asked: Asked, run: (sessionId: string | null) => Promise<Answer>): Promise<void> {
    await this.#isBack();
    await this.conversations.follow(this.#free(), asked, run);
  }

  /** End a run; none named, that of the conversation shown, or all others where it has none. */
  async stop(runId = this.conversations.runOf(this.#current) ?? null): Promise<void> {
    await this.server.run("glossator.cancel", { runId });
  }

  /** End a sub-agent; its run continues with what it has found. */
  async stopAgent(agentId: string): Promise<void> {
    await this.server.run("glossator.cancel", { agentId });
  }

  /** Start over: the first question begins a session. */
  show(conversation = new Conversation()): void {
    const before = this.#current;
    this.#current = conversation;
    this.#awaited = undefined;
    this.replay();
    this.conversations.changed();
    this.conversations.leave(before);
  }

  /** Go on with a session, here or where it is shown already. */
  async resume(sessionId: string): Promise<void> {
    try {
      if (!(await this.others.bringsElsewhere(sessionId))) {
        this.show(await this.conversations.open(sessionId));
        this.used();
      }
    } finally {
      if (this.sessionId !== sessionId) {
        this.replay(); // the panel waits for another one
      }
    }
  }

  /** The user turned to it: a session that was open elsewhere may be free by now. */
  used(): void {
    this.conversations
      .lookAgain(this.#current)
      .catch((error) =>
        this.log.info(`Where the session is open is not known: ${messageOf(error)}`),
      );
  }

  /** The panel came into sight, or went out of it. */
  moved(): void {
    this.#keep();
    this.replay();
    this.used();
  }

  /** Show everything again, from the beginning. */
  replay(): void {
    const { id, transcript, asked, undone, unsaved, figures, wordsOf } = this.#current;
    const { events, answers } = transcript;
    this.#outbox.clear();
    const restoring = this.#awaited !== undefined && asked.length === 0;
    const kept = { events, answers, asked, undone, unsaved, figures };
    const whose = { sessionId: id ?? null, ...(wordsOf !== undefined && { wordsOf }) };
    this.#outbox.send({ type: "replay", ...whose, ...kept, restoring });
    this.conversations.showQueue(this.#current);
  }

  event(event: Event): void {
    this.#outbox.event(event);
  }

  send(message: ToPanel): void {
    this.#outbox.send(message);
  }

  dispose(): void {
    this.#outbox.clear();
    this.#listening.dispose();
    this.conversations.leave(this.#current);
  }

  /** The conversation that is shown; a new one while that is busy. */
  #free(): Conversation {
    if (this.conversations.isBusy(this.#current)) {
      this.show();
    }
    return this.#current;
  }

  /** In the place of a run that the server knows; it drops nothing if the question is refused. */
  async #retry(asking: Asking, sessionId: string, insteadOf: string): Promise<void> {
    const { runId, question, chips } = asking;
    const conversation = this.#current;
    const changed = changes(conversation.questionOf(insteadOf), asking);
    const same = changed.question === undefined;
    const request = { sessionId, turn: insteadOf, runId, ...changed };
    try {
      if (await this.others.mayReplace(sessionId, conversation.runsFrom(insteadOf))) {
        const asked = { runId, question, chips, insteadOf };
        await this.follow(asked, () => this.server.run("glossator.retry", request));
        return;
      }
    } catch (error) {
      this.#takenBack(conversation, asking, same);
      throw error;
    }
    this.#takenBack(conversation, asking, same);
  }

  /** The panel shows it as asked, which it was not; words that are new are the user's to keep. */
  #takenBack(conversation: Conversation, { question, chips }: Asking, same: boolean): void {
    if (conversation === this.#current) {
      this.replay();
      if (!same) {
        this.#outbox.send({ type: "compose", text: question, chips });
      }
    }
  }

  async #act(action: OnLines, asked: Asked): Promise<void> {
    const alike = action.name as "glossator.explain"; // all take the same, and give an answer
    await this.#isBack();
    const there = await this.conversations.ofFile(action.lines.uri);
    if (there && there !== this.#current) {
      if (!(await this.others.bringsElsewhere(there.id ?? ""))) {
        this.show(there);
      }
    }
    await this.conversations.follow(there ?? this.#free(), asked, (sessionId) =>
      this.server.run(alike, { ...action.lines, runId: asked.runId, sessionId }),
    );
  }

  #keep(): void {
    this.bookmark.keep(this.#current.id ?? this.#awaited);
  }

  /** What was shown before the window was reloaded is shown again, or cannot be. */
  async #isBack(): Promise<void> {
    if (this.#awaited !== undefined) {
      this.#restored ??= this.#restore(this.#awaited);
    }
    await this.#restored;
  }

  /** What was shown before the window was reloaded, unless it is gone or open elsewhere. */
  async #restore(id: string): Promise<void> {
    try {
      const conversation = await this.conversations.open(id);
      if (this.#awaited === id) {
        this.show(conversation);
      }
    } catch (error) {
      this.log.warn(`The session before was not resumed: ${messageOf(error)}`);
      if (this.#awaited === id) {
        this.#awaited = undefined;
        this.replay();
      }
    }
  }

  #serverIs({ phase }: ServerState): void {
    if (phase === "ready") {
      void this.#isBack();
    }
  }
}
