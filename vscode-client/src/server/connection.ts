// One life of the server process and the connection to it.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type LogOutputChannel, type TextDocument, Uri, workspace } from "vscode";
import {
  type ApplyWorkspaceEditResult,
  CancellationToken,
  CloseAction,
  type DocumentSelector,
  ErrorAction,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  type WorkspaceEdit,
} from "vscode-languageclient/node";
import { Notebooks } from "../editor/notebooks.ts";
import { fromFolder } from "../editor/report-links.ts";
import type { EncodingRule } from "../encodings.ts";
import { asksForHovers } from "../ports/code.ts";
import type { SaveRequest } from "../ports/saves.ts";
import type {
  Commands,
  EditorState,
  Event,
  JobsChanged,
  SessionNow,
  TurnsUndone,
  UnsavedFiles,
} from "../wire.ts";
import { Abilities, type Method } from "./abilities.ts";

/** What one start of the server takes. The environment may hold the key: it is never logged. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly settings: object;
  readonly encodings: readonly EncodingRule[];
  readonly trusted: boolean;
}

/** How the server's requests are answered, each by its method. */
export type Handlers = Readonly<
  Record<Method, (params: never, token: CancellationToken) => Promise<unknown>>
>;

/** Who listens: `closed` is called when the server ended, perhaps more than once. */
export interface Listener {
  event(event: Event): void;
  undone(undone: TurnsUndone): void;
  unsaved(unsaved: UnsavedFiles): void;
  session(session: SessionNow): void;
  jobsChanged(jobs: JobsChanged): void;
  contextChanged(): void;
  /** The server has the editor change documents from now on (`begins`), or no more. */
  editing(begins: boolean): void;
  closed(): void;
}

const EVENT = "glossator/event";
const UNDONE = "glossator/undone";
const UNSAVED = "glossator/unsaved";
const SESSION = "glossator/session";
const JOBS = "glossator/jobs";
const CONTEXT = "glossator/contextChanged";
const SAVE: Method = "glossator/saveDocuments";
const STATE = "glossator/editorState";
const DOCUMENTS: DocumentSelector = [
  { scheme: "file" },
  { scheme: "untitled" },
  { scheme: "vscode-notebook-cell" },
];

/** A running server. */
export class Connection {
  readonly #client: LanguageClient;
  #process: ChildProcess | undefined;
  #notebooks: Notebooks | undefined;

  constructor(
    launch: Launch,
    log: LogOutputChannel,
    private readonly listener: Listener,
    private readonly handlers: Handlers,
  ) {
    const start = async () => {
      this.#process = spawn(launch.program, launch.args, { env: launch.environment });
      await spawned(this.#process);
      // Its own processes may hold the pipes open for a while after it is gone.
      this.#process.once("exit", () => listener.closed());
      return this.#process;
    };
    this.#client = new LanguageClient("glossator", "Glossator", start, {
      documentSelector: DOCUMENTS,
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never, // we show failures in our own words
      initializationOptions: {
        settings: launch.settings,
        encodings: launch.encodings,
        trusted: launch.trusted,
      },
      markdown: { isTrusted: { enabledCommands: ["glossator.gloss", "glossator.showGloss"] } },
      middleware: {
        provideTextDocumentContent: report,
        provideHover: (document, position, token, next) =>
          asksForHovers() ? null : next(document, position, token),
        ...this.#ofFilesAlone,
        workspace: {
          handleApplyEdit: async (params, next) =>
            (await this.#editing(async () => await this.#notebooks?.apply(params.edit))) ??
            unsavedNotebook(params.edit) ??
            (await this.#editing(async () => await next(params, CancellationToken.None))),
        },
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          listener.closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      stdioOptions: {
        stdout: () => undefined,
        stderr: (input) => createInterface({ input }).on("line", (line) => log.info(line)),
      },
    });
    this.#client.registerFeature(new Abilities(Object.keys(handlers) as Method[]));
  }

  /** Start it; returns when it can be asked. */
  async start(): Promise<void> {
    this.#client.onNotification(EVENT, (event: Event) => this.listener.event(event));
    this.#client.onNotification(UNDONE, (undone: TurnsUndone) => this.listener.undone(undone));
    this.#client.onNotification(UNSAVED, (files: UnsavedFiles) => this.listener.unsaved(files));
    this.#client.onNotification(SESSION, (now: SessionNow) => this.listener.session(now));
    this.#client.onNotification(JOBS, (jobs: JobsChanged) => this.listener.jobsChanged(jobs));
    this.#client.onNotification(CONTEXT, () => this.listener.contextChanged());
    for (const [method, handler] of Object.entries(this.handlers)) {
      this.#client.onRequest(method, (params, token) => {
        const answer = async () =>
          method === SAVE
            ? await this.#saving(params as SaveRequest, (files) => handler(files as never, token))
            : await handler(params as never, token);
        return method === SAVE ? this.#editing(answer) : answer(); // VS Code formats as it saves
      });
    }
    await this.#client.start();
    this.#notebooks = new Notebooks((told, params) => {
      this.#client.sendNotification(told, params).catch(() => undefined); // the server has ended
    });
  }

  /** The command's answer. Rejects with what the server says, or when `token` is cancelled. */
  async run<K extends keyof Commands>(
    command: K,
    request: Commands[K]["request"],
    token?: CancellationToken,
  ): Promise<Commands[K]["answer"]> {
    const params = { command, arguments: [request] };
    // Anything after the parameters that is no token, `undefined` included, becomes a parameter.
    return await (token
      ? this.#client.sendRequest("workspace/executeCommand", params, token)
      : this.#client.sendRequest("workspace/executeCommand", params));
  }

  /** Tell it what the editor shows. */
  async tellState(state: EditorState): Promise<void> {
    await this.#client.sendNotification(STATE, state);
  }

  /** The file below a notebook that is open may be open as a text, too: the notebook counts. */
  get #ofFilesAlone(): Middleware {
    const isFile = ({ uri }: TextDocument) => this.#notebooks?.has(uri) !== true;
    return {
      didOpen: async (document, next) => (isFile(document) ? await next(document) : undefined),
      didChange: async (event, next) => (isFile(event.document) ? await next(event) : undefined),
      didSave: async (document, next) => (isFile(document) ? await next(document) : undefined),
      didClose: async (document, next) => (isFile(document) ? await next(document) : undefined),
    };
  }

  /** Save notebooks that are open here, and the other documents by `others`. */
  async #saving(
    { documents }: SaveRequest,
    others: (rest: SaveRequest) => Promise<unknown>,
  ): Promise<{ readonly saved: readonly string[] }> {
    const rest: SaveRequest["documents"][number][] = [];
    const saved: string[] = [];
    for (const each of documents) {
      const done = await this.#notebooks?.save(each.uri, each.version);
      if (done === undefined) {
        rest.push(each);
      } else if (done) {
        saved.push(each.uri);
      }
    }
    const told = (await others({ documents: rest })) as { readonly saved: readonly string[] };
    return { saved: [...saved, ...told.saved] };
  }

  async #editing<T>(work: () => Promise<T>): Promise<T> {
    this.listener.editing(true);
    try {
      return await work();
    } finally {
      this.listener.editing(false);
    }
  }

  /** End it; a server that does not end by itself is killed. */
  async stop(): Promise<void> {
    this.#notebooks?.dispose();
    try {
      await this.#client.dispose();
    } catch {
      // it never started, or does not answer any more
    } finally {
      this.#process?.kill();
    }
  }
}

/** Why an edit cannot be made: it is of the file below a notebook that the user has not saved. */
export function unsavedNotebook(edit: WorkspaceEdit): ApplyWorkspaceEditResult | undefined {
  const files = [
    ...Object.keys(edit.changes ?? {}),
    ...(edit.documentChanges ?? []).flatMap((change) =>
      "textDocument" in change ? [change.textDocument.uri] : [],
    ),
  ].map((uri) => Uri.parse(uri).toString());
  const unsaved = workspace.notebookDocuments.find(
    ({ isDirty, uri }) => isDirty && files.includes(uri.toString()),
  );
  return (
    unsaved && {
      applied: false,
      failureReason: `${workspace.asRelativePath(unsaved.uri)} has unsaved changes in its notebook editor, which must be saved first`,
    }
  );
}

/** A report as the server has it, with links that the preview follows. */
const report: NonNullable<Middleware["provideTextDocumentContent"]> = async (uri, token, next) => {
  const text = await next(uri, token);
  const [folder] = workspace.workspaceFolders ?? [];
  return text && folder ? fromFolder(text, folder.uri.path) : text;
};

async function spawned(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}
