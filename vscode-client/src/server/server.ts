// The server as the extension knows it: started, supervised, restarted.

import { type CancellationToken, EventEmitter, type LogOutputChannel } from "vscode";
import type { Run } from "../choices.ts";
import { messageOf, UserError } from "../result.ts";
import type {
  BackgroundJob,
  Commands,
  EditorState,
  Event,
  SessionNow,
  TurnsUndone,
  UnsavedFiles,
} from "../wire.ts";
import { Backoff } from "./backoff.ts";
import { Connection, type Handlers, type Launch } from "./connection.ts";

/** The server's state; `problem` is a sentence with a next step. */
export type ServerState =
  | { readonly phase: "off" }
  | { readonly phase: "starting"; readonly step: string }
  | { readonly phase: "ready" }
  | { readonly phase: "waiting"; readonly problem: string; readonly seconds: number }
  | { readonly phase: "failed"; readonly problem: string; readonly error: unknown };

/** What a start needs to know; each start asks for it again. `report` shows the progress. */
export type Prepare = (report: (step: string) => void) => Promise<Launch>;

/** One attempt at a running server. */
interface Life {
  readonly connected: Promise<Connection>;
  connection: Connection | undefined; // once there is a process to end
}

/** Supervises one server process after the other. */
export class Server {
  readonly #states = new EventEmitter<ServerState>();
  readonly #events = new EventEmitter<Event>();
  readonly #undone = new EventEmitter<TurnsUndone>();
  readonly #unsaved = new EventEmitter<UnsavedFiles>();
  readonly #sessions = new EventEmitter<SessionNow>();
  readonly #jobs = new EventEmitter<readonly BackgroundJob[]>();
  readonly #contextChanges = new EventEmitter<void>();
  readonly #backoff = new Backoff();
  #state: ServerState = { phase: "off" };
  #life: Life | undefined; // what an earlier one tells is not listened to
  #timer: NodeJS.Timeout | undefined;
  #edits = 0;

  /** What is fired when the state has changed. */
  readonly onState = this.#states.event;
  /** The events of all runs. */
  readonly onEvent = this.#events.event;
  /** Which turns of a session are undone, whenever that has changed. */
  readonly onUndone = this.#undone.event;
  /** Which edited files of a session are not on disk as they were edited, whenever that has changed. */
  readonly onUnsaved = this.#unsaved.event;
  /** A session that is called something else now, or that another server has taken over. */
  readonly onSession = this.#sessions.event;
  /** The background jobs, whenever one began or ended. */
  readonly onJobs = this.#jobs.event;
  /** What the model is told, or what would run, is not what was listed before. */
  readonly onContextChange = this.#contextChanges.event;

  constructor(
    private readonly prepare: Prepare,
    private readonly handlers: Handlers,
    private readonly log: LogOutputChannel,
    private readonly tell: (run: Run) => Promise<void>,
  ) {}

  /** Its current state. */
  get state(): ServerState {
    return this.#state;
  }

  /** Whether its process is there and has not said yet that it is ready. */
  get isConnecting(): boolean {
    return this.#state.phase === "starting" && this.#life?.connection !== undefined;
  }

  /** Whether documents change now because the server wants it. */
  get isEditing(): boolean {
    return this.#edits > 0;
  }

  /** Start or restart; what is asked meanwhile waits for the next one. The state reports failures. */
  async restart(): Promise<void> {
    const stopped = this.stop();
    const life: Life = {
      connected: stopped.then(() => this.#begin(life)),
      connection: undefined,
    };
    this.#life = life;
    try {
      await life.connected;
      this.#become(life, { phase: "ready" });
    } catch (error) {
      this.log.error(`The server could not be started: ${messageOf(error)}`);
      await life.connection?.stop();
      this.#become(life, { phase: "failed", problem: problemOf(error), error });
    }
  }

  /** The command's answer, once the server is there. Throws `UserError` when it cannot be. */
  async run<K extends keyof Commands>(
    command: K,
    request: Commands[K]["request"],
    token?: CancellationToken,
  ): Promise<Commands[K]["answer"]> {
    return await (await this.#connection()).run(command, request, token);
  }

  /** Tell it what the editor shows; while there is none, nothing is told. */
  async tellState(state: EditorState): Promise<void> {
    if (this.#state.phase === "ready") {
      await this.#life?.connection?.tellState(state);
    }
  }

  /** End it; safe to call again. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const life = this.#life;
    this.#life = undefined;
    this.#tell({ phase: "off" });
    await life?.connection?.stop();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#states.dispose();
    this.#events.dispose();
    this.#undone.dispose();
    this.#unsaved.dispose();
    this.#sessions.dispose();
    this.#jobs.dispose();
    this.#contextChanges.dispose();
  }

  async #connection(): Promise<Connection> {
    const { phase } = this.#state;
    if (phase === "failed") {
      throw this.#state.error instanceof UserError
        ? this.#state.error
        : new UserError(this.#state.problem, "output");
    }
    if (!this.#life) {
      const problem = phase === "waiting" ? this.#state.problem : "It is off.";
      throw new UserError(`Glossator's server is not running. ${problem}`, "restart");
    }
    return await this.#life.connected;
  }

  async #begin(life: Life): Promise<Connection> {
    const report = (step: string) => this.#become(life, { phase: "starting", step });
    report("Starting");
    const launch = await this.prepare(report);
    if (life !== this.#life) {
      throw new UserError("Glossator's server restarted meanwhile. Try again.");
    }
    report("Starting the server");
    const begun = Date.now();
    const connection = new Connection(
      launch,
      this.log,
      {
        event: (event) => this.#events.fire(event),
        undone: (undone) => this.#undone.fire(undone),
        unsaved: (unsaved) => this.#unsaved.fire(unsaved),
        session: (session) => this.#sessions.fire(session),
        jobsChanged: ({ jobs }) => this.#jobs.fire(jobs),
        contextChanged: () => this.#contextChanges.fire(),
        editing: (begins) => {
          this.#edits += begins ? 1 : -1;
        },
        closed: () => this.#ended(life, Date.now() - begun),
      },
      this.handlers,
    );
    life.connection = connection;
    await connection.start();
    await this.tell((command, request) => connection.run(command, request));
    return connection;
  }

  #ended(life: Life, livedMilliseconds: number): void {
    if (life !== this.#life) {
      return;
    }
    const wait = this.#backoff.next(livedMilliseconds);
    this.log.warn(`The server ended unasked; it is started again in ${wait} ms.`);
    const problem = "It ended unexpectedly and is being started again; its output says more.";
    this.#become(life, { phase: "waiting", problem, seconds: wait / 1000 });
    this.#life = undefined;
    void life.connection?.stop();
    this.#timer = setTimeout(() => void this.restart(), wait);
  }

  #become(life: Life, state: ServerState): void {
    if (life === this.#life) {
      this.#tell(state);
    }
  }

  #tell(state: ServerState): void {
    this.#state = state;
    this.#states.fire(state);
  }
}

function problemOf(error: unknown): string {
  return error instanceof UserError
    ? error.message
    : `Glossator's server could not be started: ${messageOf(error)}. Its output says more; run` +
        ' "Glossator: Restart Server" to try again.';
}
