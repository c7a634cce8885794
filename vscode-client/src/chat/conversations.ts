// The conversations of this window, wherever they are shown: what runs in them, and what comes back.

import { randomUUID } from "node:crypto";
import {
  type CancellationToken,
  CancellationTokenSource,
  type Disposable,
  EventEmitter,
  type Memento,
  Uri,
  workspace,
} from "vscode";
import type { Asked, ToPanel } from "../panel/messages.ts";
import { messageOf, UserError } from "../result.ts";
import type { Server, ServerState } from "../server/server.ts";
import type {
  Answer,
  DiscardedWorktree,
  Event,
  MergedWorktree,
  SessionInfo,
  SessionNow,
  TurnsUndone,
  UnsavedFiles,
} from "../wire.ts";
import type { Asking } from "./asking.ts";
import { Conversation } from "./conversation.ts";
import { KeptQueues, type Outgoing, Queueing } from "./queue.ts";

const GONE = "Glossator's server ended before the answer was whole. Ask again.";

/** How a run ended, for those who do not see the panel. */
export interface Ending {
  readonly conversation: Conversation;
  readonly question: string;
  readonly answer?: Answer;
  readonly problem?: string;
}

/** What shows a conversation. */
export interface Viewer {
  readonly shown: Conversation;
  /** An event of the conversation that is shown. */
  event(event: Event): void;
  /** Something else about it. */
  send(message: ToPanel): void;
  /** Show another one; a new one if none is given. */
  show(conversation?: Conversation): void;
  /** Does what was typed in it: a question, or a command of the chat. */
  carryOut(asking: Asking): Promise<void>;
}

/** Runs of different conversations go on side by side; one that nobody shows goes on, too. */
export class Conversations implements Disposable {
  readonly #changes = new EventEmitter<void>();
  readonly #endings = new EventEmitter<Ending>();
  readonly #runs = new Map<string, Conversation>();
  readonly #viewers = new Set<Viewer>();
  readonly #queues: KeptQueues;
  readonly #looking = new Set<string>(); // sessions of which it is asked whether they are open elsewhere

  /** What waits until a run has ended. */
  readonly queueing = new Queueing<Conversation>({
    runOf: (conversation) => this.runOf(conversation),
    steer: (runId, message, signal) => this.#steer(runId, message, signal),
    ask: (conversation, message) =>
      this.ask(conversation, { runId: randomUUID(), queued: true, ...message }),
    carryOut: (conversation, message) => this.#carryOut(conversation, message),
    isShown: (conversation) => this.#viewersOf(conversation).length > 0,
    show: (conversation) => this.showQueue(conversation),
  });

  /** Fired when another session is shown, or one is called something else, or a run began or ended. */
  readonly onChange = this.#changes.event;
  /** Fired when a run has ended. */
  readonly onEnding = this.#endings.event;

  constructor(
    private readonly server: Server,
    memento: Memento,
  ) {
    this.#queues = new KeptQueues(memento);
    server.onEvent((event) => this.#told(event));
    server.onUndone((undone) => this.#undone(undone));
    server.onUnsaved((unsaved) => this.#unsaved(unsaved));
    server.onSession((session) => this.#session(session));
    server.onState((state) => this.#serverIs(state));
  }

  /** The runs under way, of all conversations. */
  get running(): string[] {
    return [...this.#runs.keys()];
  }

  /** The newest of a conversation, also while the answer of one that has ended is on its way. */
  runOf(conversation: Conversation): string | undefined {
    return [...this.#runs].findLast(([, each]) => each === conversation)?.[0];
  }

  /** Whether it takes no question now; the server lets one wait for a run that is over. */
  isBusy(conversation: Conversation): boolean {
    const runId = this.runOf(conversation);
    return runId !== undefined && !conversation.transcript.isOver(runId);
  }

  /** Tell it what becomes of the conversation that it shows, until the end. */
  add(viewer: Viewer): Disposable {
    this.#viewers.add(viewer);
    return { dispose: () => this.#viewers.delete(viewer) };
  }

  /** Another one is shown somewhere. */
  changed(): void {
    this.#changes.fire();
  }

  /** It is not shown any more where it was: nobody goes on editing what waits. */
  leave(conversation: Conversation): void {
    conversation.queue.stopEditing();
    this.showQueue(conversation);
  }

  /** Ask in a conversation. */
  async ask(conversation: Conversation, asking: Asking): Promise<void> {
    const { runId, question, attachments, chips, plan, queued = false, worktree = false } = asking;
    conversation.apart = worktree && conversation.id === undefined;
    await this.follow(conversation, { runId, question, chips, queued }, (sessionId) =>
      this.server.run("glossator.ask", {
        question,
        attachments,
        runId,
        sessionId,
        ...(plan && { plan }),
      }),
    );
  }

  /** Show a question that `run` answers. */
  async follow(
    conversation: Conversation,
    asked: Asked,
    run: (sessionId: string | null) => Promise<Answer>,
  ): Promise<void> {
    const { runId, question, insteadOf } = asked;
    conversation.asked.push(asked);
    this.#runs.set(runId, conversation);
    this.#send(conversation, { type: "begun", asked });
    this.#changes.fire();
    try {
      const answer = await run(await this.#sessionOf(conversation));
      conversation.transcript.settle(answer);
      this.#send(conversation, { type: "answer", answer });
      this.#endings.fire({ conversation, question, answer });
    } catch (error) {
      if (insteadOf !== undefined && !conversation.transcript.has(runId)) {
        conversation.asked.pop();
        throw error;
      }
      this.#failed(conversation, asked, messageOf(error));
      this.#tellEnding(conversation, asked);
    } finally {
      this.#runs.delete(runId);
      void this.queueing.ended(conversation, conversation.problemOf(runId));
      await this.#describe(conversation);
    }
  }

  /** The conversation of a session: the one that this window has, or as the server has kept it. */
  async open(sessionId: string): Promise<Conversation> {
    return this.#find(sessionId) ?? (await this.#load(sessionId));
  }

  /** The conversation that a file is worked on in: that of its worktree's session; undefined for any other file. */
  async ofFile(uri: string): Promise<Conversation | undefined> {
    const file = Uri.parse(uri);
    if (workspace.getWorkspaceFolder(file)) {
      return undefined;
    }
    const session = (await this.list()).find(
      ({ worktree }) =>
        worktree?.state === "open" &&
        worktree.folders.some((folder) => file.path.startsWith(`${Uri.file(folder).path}/`)),
    );
    const conversation = session && (await this.open(session.id));
    if (conversation && this.isBusy(conversation)) {
      throw new UserError(
        "The session of this worktree is at work. Wait for its answer, or stop it, and try again.",
      );
    }
    return conversation;
  }

  /** Call a session something else. */
  async rename(sessionId: string, title: string): Promise<void> {
    const info = await this.server.run("glossator.renameSession", { sessionId, title });
    const conversation = this.#find(sessionId);
    if (conversation) {
      conversation.info = info;
      this.#changes.fire();
    }
  }

  /** Have who has a session open give it up; it is shown as it is then, with what waits here. */
  async takeOver(sessionId: string): Promise<void> {
    await this.server.run("glossator.takeOver", { sessionId });
    await this.#showAgain(sessionId);
  }

  /** Whether a session still is open elsewhere is asked; once it is not, it is shown as it is then. */
  async lookAgain({ id, info }: Conversation): Promise<void> {
    if (id === undefined || !info?.elsewhere || this.#looking.has(id)) {
      return;
    }
    this.#looking.add(id);
    try {
      const now = (await this.list()).find((each) => each.id === id);
      if (now?.elsewhere === "") {
        await this.#showAgain(id);
      }
    } finally {
      this.#looking.delete(id);
    }
  }

  /** Show a session as the server has it now, wherever it is shown. */
  async #showAgain(sessionId: string): Promise<void> {
    const before = this.#find(sessionId);
    const resumed = await this.server.run("glossator.resumeSession", { sessionId });
    const conversation = Conversation.resumed(resumed);
    conversation.queue = before?.queue ?? this.#queues.of(sessionId);
    for (const viewer of this.#viewers) {
      if (viewer.shown === before) {
        viewer.show(conversation);
      }
    }
  }

  /** Merge the worktree of a session into the user's branch. */
  async merge(sessionId: string, into: string): Promise<MergedWorktree> {
    const merged = await this.server.run("glossator.mergeWorktree", { sessionId, into });
    await this.#describeShown(sessionId);
    return merged;
  }

  /** Throw the worktree of a session away; gives what would be lost, if it was not `anyway`. */
  async discard(sessionId: string, anyway: boolean): Promise<DiscardedWorktree> {
    const request = { sessionId, anyway };
    const discarded = await this.server.run("glossator.discardWorktree", request);
    await this.#describeShown(sessionId);
    return discarded;
  }

  /** Delete a session for good. */
  async remove(sessionId: string): Promise<void> {
    await this.server.run("glossator.deleteSession", { sessionId });
    const conversation = this.#find(sessionId);
    if (conversation) {
      await this.queueing.change(conversation, (queue) => queue.clear());
    }
    this.#queues.keep(sessionId, []);
    for (const viewer of this.#viewers) {
      if (viewer.shown.id === sessionId) {
        const next = new Conversation();
        next.wordsOf = sessionId;
        viewer.show(next);
      }
    }
  }

  /** The sessions of this workspace, last changed first. */
  async list(words = "", token?: CancellationToken): Promise<readonly SessionInfo[]> {
    const { sessions } = await this.server.run("glossator.listSessions", { words }, token);
    return sessions.map((each) => (this.#isOver(each.id) ? { ...each, running: false } : each));
  }

  /** Whether this window has seen the end of the run that it had there: the server may be tidying up still. */
  #isOver(sessionId: string): boolean {
    const conversation = this.#find(sessionId);
    const runId = conversation && this.runOf(conversation);
    return runId !== undefined && conversation?.transcript.isOver(runId) === true;
  }

  /** Show what waits, and keep it. */
  showQueue(conversation: Conversation): void {
    const { messages, held, kept } = conversation.queue;
    this.#send(conversation, { type: "queue", messages, held });
    if (conversation.id !== undefined) {
      this.#queues.keep(conversation.id, kept);
    }
  }

  dispose(): void {
    this.#changes.dispose();
    this.#endings.dispose();
  }

  async #carryOut(conversation: Conversation, message: Outgoing): Promise<void> {
    const [viewer] = this.#viewersOf(conversation);
    await viewer?.carryOut({ runId: randomUUID(), ...message });
  }

  async #steer(runId: string, message: Outgoing, signal: AbortSignal): Promise<boolean> {
    const { question: text, attachments } = message;
    const cancelling = new CancellationTokenSource();
    signal.addEventListener("abort", () => cancelling.cancel(), { once: true });
    const request = { runId, text, attachments };
    return (await this.server.run("glossator.steer", request, cancelling.token)).steered;
  }

  /** Its session; one that works apart is begun before its first question. */
  async #sessionOf(conversation: Conversation): Promise<string | null> {
    if (conversation.apart && conversation.id === undefined) {
      const beginning = this.server.run("glossator.newSession", { worktree: "" });
      const info = await beginning.catch((error: unknown) => {
        conversation.apart = false; // what is asked next says itself where it is to work
        throw error;
      });
      conversation.info = info;
      conversation.id = info.id;
      this.#changes.fire();
    }
    return conversation.id ?? null;
  }

  async #load(sessionId: string): Promise<Conversation> {
    const resumed = await this.server.run("glossator.resumeSession", { sessionId });
    const meanwhile = this.#find(sessionId); // two places may ask for it at once
    if (meanwhile) {
      return meanwhile;
    }
    const conversation = Conversation.resumed(resumed);
    conversation.queue = this.#queues.of(sessionId);
    return conversation;
  }

  /** A run that was stopped or failed has shown that already. */
  #failed(conversation: Conversation, { runId, question }: Asked, message: string): void {
    const sessionId = conversation.id ?? "";
    const about = {
      sessionId,
      attachments: [],
      onlyReads: false,
      plan: "auto",
      beganAt: "",
      shown: "",
      folders: [],
    };
    const started = { runId, question, ...about, model: "", offline: false };
    const events = conversation.transcript.fail(started, message);
    for (const event of events) {
      this.#deliver(conversation, event);
    }
  }

  #tellEnding(conversation: Conversation, { runId, question }: Asked): void {
    const last = conversation.transcript.events.findLast((event) => event.runId === runId);
    if (last?.kind === "run.failed") {
      this.#endings.fire({ conversation, question, problem: last.message });
    }
  }

  #told(event: Event): void {
    const conversation = this.#runs.get(event.runId) ?? this.#endedWith(event);
    if (!conversation) {
      return;
    }
    if (event.kind === "run.started") {
      conversation.makeRoomFor(event.runId);
    }
    conversation.transcript.add(event);
    if (event.kind === "run.started" && (conversation.id === undefined || conversation.apart)) {
      conversation.apart = false;
      conversation.id = event.sessionId;
      this.#queues.keep(event.sessionId, conversation.queue.kept); // of its first run
      this.#changes.fire();
      void this.#describe(conversation);
    }
    this.#deliver(conversation, event);
  }

  /** The conversation with a run that has ended: the lines that it cites may change. */
  #endedWith({ kind, runId }: Event): Conversation | undefined {
    return kind === "citation"
      ? this.#known.find(({ transcript }) => transcript.has(runId))
      : undefined;
  }

  #undone({ sessionId, turns }: TurnsUndone): void {
    const runs = turns.map(({ turn }) => turn);
    for (const conversation of this.#known) {
      if (conversation.id === sessionId) {
        conversation.undone = runs;
        this.#send(conversation, { type: "undone", runs });
      }
    }
  }

  #unsaved({ sessionId, files }: UnsavedFiles): void {
    for (const conversation of this.#known) {
      if (conversation.id === sessionId) {
        conversation.unsaved = files;
        this.#send(conversation, { type: "unsaved", files });
      }
    }
  }

  #session({ sessionId, title, elsewhere }: SessionNow): void {
    const conversation = this.#find(sessionId);
    if (conversation?.info) {
      conversation.info = { ...conversation.info, title, elsewhere };
      this.#changes.fire();
    }
  }

  /** Those that something may still come to. */
  get #known(): Conversation[] {
    const shown = [...this.#viewers].map((viewer) => viewer.shown);
    return [...new Set([...shown, ...this.#runs.values(), ...this.queueing.conversations])];
  }

  #find(sessionId: string): Conversation | undefined {
    return this.#known.find(({ id }) => id === sessionId);
  }

  #viewersOf(conversation: Conversation): Viewer[] {
    return [...this.#viewers].filter(({ shown }) => shown === conversation);
  }

  #deliver(conversation: Conversation, event: Event): void {
    for (const viewer of this.#viewersOf(conversation)) {
      viewer.event(event);
    }
  }

  #send(conversation: Conversation, message: ToPanel): void {
    for (const viewer of this.#viewersOf(conversation)) {
      viewer.send(message);
    }
  }

  async #describeShown(sessionId: string): Promise<void> {
    const conversation = this.#find(sessionId);
    if (conversation) {
      await this.#describe(conversation);
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
    if (phase === "ready" || phase === "starting") {
      return;
    }
    for (const [runId, conversation] of this.#runs) {
      const asked = conversation.asked.find((each) => each.runId === runId);
      const waits = asked?.insteadOf !== undefined && !conversation.transcript.has(runId);
      if (asked && !waits) {
        this.#failed(conversation, asked, GONE);
      }
    }
  }
}
