// One life of the server process and the connection to it.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { CancellationToken, LogOutputChannel } from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  type DocumentSelector,
  ErrorAction,
  LanguageClient,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Commands, Event } from "../wire.ts";

/** What one start of the server takes. The environment may hold the key: it is never logged. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly settings: object;
  readonly trusted: boolean;
}

/** What the server may ask of us: each by its method, with what it is answered by. */
export type Handlers = Readonly<
  Record<string, (params: never, token: CancellationToken) => Promise<unknown>>
>;

const EVENT = "glossator/event";
const DOCUMENTS: DocumentSelector = [{ scheme: "file" }, { scheme: "untitled" }];

/** A running server. `closed` is told once, when it ended unasked. */
export class Connection {
  readonly #client: LanguageClient;
  #process: ChildProcess | undefined;

  constructor(
    launch: Launch,
    log: LogOutputChannel,
    private readonly told: (event: Event) => void,
    private readonly handlers: Handlers,
    closed: () => void,
  ) {
    this.#client = new LanguageClient(
      "glossator",
      "Glossator",
      async () => {
        this.#process = start(launch, log);
        return this.#process;
      },
      {
        documentSelector: DOCUMENTS,
        outputChannel: log,
        initializationOptions: { settings: launch.settings, trusted: launch.trusted },
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            closed();
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    this.#client.registerFeature(new Abilities(Object.keys(handlers)));
  }

  /** Start it; returns when it can be asked. */
  async start(): Promise<void> {
    this.#client.onNotification(EVENT, this.told);
    for (const [method, handler] of Object.entries(this.handlers)) {
      this.#client.onRequest(method, (params, token) => handler(params as never, token));
    }
    await this.#client.start();
  }

  /** The command's answer. Rejects with what the server says, or when `token` is cancelled. */
  async run<K extends keyof Commands>(
    command: K,
    request: Commands[K]["request"],
    token?: CancellationToken,
  ): Promise<Commands[K]["answer"]> {
    const params = { command, arguments: [request] };
    return await this.#client.sendRequest("workspace/executeCommand", params, token);
  }

  /** End it; a server that does not end by itself is killed. */
  async stop(): Promise<void> {
    try {
      if (this.#client.needsStop()) {
        await this.#client.stop();
      }
      await this.#client.dispose();
    } finally {
      this.#process?.kill();
    }
  }
}

/** Declares what of the protocol beside the LSP we know; see docs/protocol.md. */
class Abilities implements StaticFeature {
  constructor(private readonly methods: readonly string[]) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const declared: Record<string, boolean> = { events: true, commands: true };
    for (const method of this.methods) {
      const ability = ABILITIES[method];
      if (ability) {
        declared[ability] = true;
      }
    }
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      glossator: declared,
    };
  }

  initialize(): void {
    // nothing to do: the server only needs to know
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {
    // nothing was kept
  }
}

/** By the request that the server sends to who declares it. */
const ABILITIES: Readonly<Record<string, string>> = {
  "glossator/question": "questions",
  "glossator/permission": "permissions",
  "glossator/review": "reviews",
  "glossator/diagnostics": "diagnostics",
  "glossator/saveDocuments": "saves",
};

function start(launch: Launch, log: LogOutputChannel): ChildProcess {
  const child = spawn(launch.program, launch.args, {
    env: launch.environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  createInterface({ input: child.stderr }).on("line", (line) => log.info(line));
  child.on("error", (error) => log.error(`The server could not be started: ${error.message}`));
  return child;
}
