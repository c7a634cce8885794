// The conversations of this window: which one is shown, what is asked in it, what comes back.

import { randomUUID } from "node:crypto";
import { type Disposable, EventEmitter, type LogOutputChannel, type Memento } from "vscode";
import { linesChip } from "../editor/chips.ts";
import type { OnLines } from "../lines.ts";
import type { Asked, ToPanel } from "../panel/messages.ts";
import { messageOf, UserError } from "../result.ts";
import type { Server, ServerState } from "../server/server.ts";
import type { Answer, Event, Mode, SessionInfo, TurnsUndone } from "../wire.ts";
import { type Asking, changes, type MayReplace } from "./asking.ts";
import { Conversation } from "./conversation.ts";
import { Outbox, type Panel } from "./outbox.ts";

const KEPT = "glossator.session";
const GONE = "Glossator's server ended before the answer was whole. Ask again.";

/** How a run ended, for those who do not see the panel. */
export interface Ending {
  readonly question: string;
  readonly answer?: Answer;
  readonly problem?: string;
}

/** Owns what is shown in the panel; all of it can be shown again. */
export class Chat implements Disposable {
  readonly #changes = new EventEmitter<void>();
  readonly #endings = new EventEmitter<Ending>();
  readonly #outbox: Outbox;
  readonly #runs = new Map<string, Conversation>();
  #current = new Conversation();
  #restored: Promise<void> | undefined;

  /** Fired when the session shown is another one, or called something else, or a run began or ended. */
  readonly onChange = this.#changes.event;
  /** Fired when a run has ended. */
  readonly onEnding = this.#endings.event;

  constructor(
    private readonly server: Server,
    private readonly memento: Memento,
    panel: Panel,
    private readonly mayReplace: MayReplace,
    private readonly log: LogOutputChannel,
  ) {
    this.#outbox = new Outbox((message) => panel.post(message));
    server.onEvent((event) => this.#told(event));
    server.onUndone((undone) => this.#undone(undone));
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
    const { runId, question, attachments, chips, insteadOf = null } = asking;
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
    await this.follow({ runId, question, chips }, (sessionId) =>
      this.server.run("glossator.ask", { question, attachments, runId, sessionId }),
    );
  }

  /** Carry out the plan that the last run ended with; the server words it, ours is for failures. */
  async startPlan(mode: Mode): Promise<void> {
    const sessionId = this.#current.id;
    if (sessionId === undefined || this.#current.busy) {
      throw new UserError("There is no plan in this session that waits to be started.");
    }
    const runId = randomUUID();
    await this.follow({ runId, question: "Start the plan.", chips: [] }, () =>
      this.server.run("glossator.startPlan", { sessionId, mode, runId }),
    );
  }

  /** Ask the last question again, in its place. Throws `UserError` if there is none. */
  async again(): Promise<void> {
    const { last, busy } = this.#current;
    if (!last) {
      throw new UserError("Nothing was asked in this session yet, so there is nothing to retry.");
    }
    if (busy) {
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

  /** Show a question that `run` has answered; in a new conversation while the one shown is busy. */
  async follow(asked: Asked, run: (sessionId: string | null) => Promise<Answer>): Promise<void> {
    await this.#restored;
    if (this.#current.busy) {
      this.show();
    }
    const conversation = this.#current;
    const { runId, question, insteadOf } = asked;
    conversation.asked.push(asked);
    this.#runs.set(runId, conversation);
    this.#send(conversation, { type: "begun", asked });
    this.#changes.fire();
    try {
      const answer = await run(conversation.id ?? null);
      conversation.transcript.settle(answer);
      this.#send(conversation, { type: "answer", answer });
      this.#endings.fire({ question, answer });
    } catch (error) {
      if (insteadOf !== undefined && !conversation.transcript.has(runId)) {
        conversation.asked.pop();
        throw error;
      }
      this.#failed(conversation, asked, messageOf(error));
      this.#tellEnding(conversation, asked);
    } finally {
      this.#runs.delete(runId);
      await this.#describe(conversation);
    }
  }

  /** End a run, or all of them. */
  async stop(runId: string | null = null): Promise<void> {
    await this.server.run("glossator.cancel", { runId });
  }

  /** End a sub-agent; its run continues with what it has found. */
  async stopAgent(agentId: string): Promise<void> {
    await this.server.run("glossator.cancel", { agentId });
  }

  /** Start over: the first question begins a session. */
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
    const { transcript, asked, undone } = this.#current;
    const { events, answers } = transcript;
    this.#outbox.clear();
    this.#outbox.send({ type: "replay", events, answers, asked, undone });
  }

  dispose(): void {
    this.#outbox.clear();
    this.#changes.dispose();
    this.#endings.dispose();
  }

  /** In the place of a run that the server knows; it drops nothing if the question is refused. */
  async #retry(asking: Asking, sessionId: string, insteadOf: string): Promise<void> {
    const { runId, question, chips } = asking;
    const conversation = this.#current;
    const changed = changes(conversation.questionOf(insteadOf), asking);
    const same = changed.question === undefined;
    const request = { sessionId, turn: insteadOf, runId, ...changed };
    try {
      if (await this.mayReplace(sessionId, conversation.runsFrom(insteadOf))) {
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
    await this.follow(asked, (sessionId) =>
      this.server.run(alike, { ...action.lines, runId: asked.runId, sessionId }),
    );
  }

  /** What was shown before the window was reloaded, unless it is gone or open elsewhere. */
  async #restore(): Promise<void> {
    const id = this.memento.get<string>(KEPT);
    if (id !== undefined && this.#current.id === undefined && this.#runs.size === 0) {
      try {
        this.show(await this.#load(id));
      } catch (error) {
        this.log.warn(`The session before was not resumed: ${messageOf(error)}`);
      }
    }
  }

  async #load(sessionId: string): Promise<Conversation> {
    return Conversation.resumed(await this.server.run("glossator.resumeSession", { sessionId }));
  }

  /** A run that was stopped or failed has shown that already. */
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
    if (event.kind === "run.started") {
      conversation.makeRoomFor(event.runId);
    }
    conversation.transcript.add(event);
    if (event.kind === "run.started" && conversation.id === undefined) {
      conversation.id = event.sessionId;
      if (conversation === this.#current) {
        void this.memento.update(KEPT, event.sessionId);
      }
      this.#changes.fire();
      void this.#describe(conversation);
    }
    this.#deliver(conversation, event);
  }

  #undone({ sessionId, turns }: TurnsUndone): void {
    const runs = turns.map(({ turn }) => turn);
    for (const conversation of new Set([this.#current, ...this.#runs.values()])) {
      if (conversation.id === sessionId) {
        conversation.undone = runs;
        this.#send(conversation, { type: "undone", runs });
      }
    }
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
      // the server is gone: what was known stays
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
      const waits = asked?.insteadOf !== undefined && !conversation.transcript.has(runId);
      if (asked && !waits) {
        this.#failed(conversation, asked, GONE);
      }
    }
  }
}
