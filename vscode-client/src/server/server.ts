// The server as the extension knows it: started, supervised, restarted.

import { type CancellationToken, EventEmitter, type LogOutputChannel } from "vscode";
import { messageOf, UserError } from "../result.ts";
import type { Commands, Event } from "../wire.ts";
import { Backoff } from "./backoff.ts";
import { Connection, type Handlers, type Launch } from "./connection.ts";

/** Where the server stands; `problem` is in words, with a next step. */
export type ServerState =
  | { readonly phase: "off" }
  | { readonly phase: "starting"; readonly step: string }
  | { readonly phase: "ready" }
  | { readonly phase: "waiting"; readonly problem: string; readonly seconds: number }
  | { readonly phase: "failed"; readonly problem: string };

/** What must be known for a start; it is asked for anew each time. `report` tells how far it is. */
export type Prepare = (report: (step: string) => void) => Promise<Launch>;

/** Supervises one server process after the other. */
export class Server {
  readonly #states = new EventEmitter<ServerState>();
  readonly #events = new EventEmitter<Event>();
  readonly #backoff = new Backoff();
  #state: ServerState = { phase: "off" };
  #life: Promise<Connection> | undefined;
  #number = 0; // of the life; what belongs to an earlier one is not listened to
  #timer: NodeJS.Timeout | undefined;

  readonly onState = this.#states.event;
  readonly onEvent = this.#events.event;

  constructor(
    private readonly prepare: Prepare,
    private readonly handlers: Handlers,
    private readonly log: LogOutputChannel,
  ) {}

  get state(): ServerState {
    return this.#state;
  }

  /** Start, or start anew. Failures are told as the state. */
  async restart(): Promise<void> {
    await this.stop();
    const number = ++this.#number;
    const life = this.#begin(number);
    this.#life = life;
    try {
      await life;
    } catch (error) {
      this.log.error(messageOf(error));
      if (number === this.#number && this.#state.phase !== "waiting") {
        this.#life = undefined;
        this.#become({ phase: "failed", problem: problemOf(error) });
      }
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

  /** End it; safe to call again. */
  async stop(): Promise<void> {
    this.#number += 1;
    clearTimeout(this.#timer);
    const life = this.#life;
    this.#life = undefined;
    this.#become({ phase: "off" });
    const connection = await life?.catch(() => undefined);
    await connection?.stop();
  }

  dispose(): void {
    this.#states.dispose();
    this.#events.dispose();
  }

  async #connection(): Promise<Connection> {
    const life = this.#life;
    if (!life) {
      const { phase } = this.#state;
      const problem =
        phase === "waiting" || phase === "failed" ? this.#state.problem : "It is off.";
      throw new UserError(`Glossator's server is not running. ${problem}`);
    }
    return await life;
  }

  async #begin(number: number): Promise<Connection> {
    const report = (step: string) => {
      if (number === this.#number) {
        this.#become({ phase: "starting", step });
      }
    };
    report("Starting");
    const launch = await this.prepare(report);
    report("Starting the server");
    let readyAt = Date.now();
    const connection = new Connection(
      launch,
      this.log,
      (event) => this.#events.fire(event),
      this.handlers,
      () => this.#ended(number, Date.now() - readyAt),
    );
    await connection.start();
    readyAt = Date.now();
    if (number === this.#number) {
      this.#become({ phase: "ready" });
    }
    return connection;
  }

  #ended(number: number, livedMilliseconds: number): void {
    if (number !== this.#number) {
      return;
    }
    this.#life = undefined;
    const wait = this.#backoff.next(livedMilliseconds);
    this.log.warn(`The server ended; it is started again in ${wait} ms.`);
    const problem = "It ended unexpectedly and is being started again; its output says more.";
    this.#become({ phase: "waiting", problem, seconds: wait / 1000 });
    this.#timer = setTimeout(() => void this.restart(), wait);
  }

  #become(state: ServerState): void {
    this.#state = state;
    this.#states.fire(state);
  }
}

function problemOf(error: unknown): string {
  const said = messageOf(error);
  return error instanceof UserError
    ? said
    : `It could not be started: ${said}. Its output says more; run "Glossator: Restart Server" to try again.`;
}
