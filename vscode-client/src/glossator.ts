// Everything that lives while the extension is active, and how it is put together.

import { join } from "node:path";
import {
  commands,
  Disposable,
  type ExtensionContext,
  type LogOutputChannel,
  ProgressLocation,
  window,
  workspace,
} from "vscode";
import { Chat } from "./chat/chat.ts";
import { announceEndings } from "./chat/endings.ts";
import { Choices } from "./choices.ts";
import { showFailure } from "./commands/failures.ts";
import type { Parts } from "./commands/parts.ts";
import { registerCommands } from "./commands/register.ts";
import { mayReplace } from "./commands/undo.ts";
import { Spans } from "./editor/spans.ts";
import { ShownState } from "./editor/state.ts";
import { serveTexts } from "./editor/texts.ts";
import { withKey } from "./key.ts";
import { warn } from "./notices.ts";
import { dispatch } from "./panel/dispatch.ts";
import { PanelView } from "./panel/view.ts";
import { calls } from "./ports/calls.ts";
import { DiagnosticsPort } from "./ports/diagnostics.ts";
import { Inquiries } from "./ports/inquiries.ts";
import { permission } from "./ports/permission.ts";
import { question } from "./ports/question.ts";
import { review } from "./ports/review.ts";
import { save } from "./ports/saves.ts";
import { TerminalPort } from "./ports/terminal.ts";
import { candidates } from "./python.ts";
import { messageOf } from "./result.ts";
import type { Handlers, Launch } from "./server/connection.ts";
import { pythonWithServer } from "./server/environment.ts";
import { findInterpreter } from "./server/interpreter.ts";
import { Server, type ServerState } from "./server/server.ts";
import { pythonSetting, serverSettings } from "./settings.ts";
import { Standings } from "./standings.ts";

/** `-I`: nothing from the current folder or the environment takes the place of a module. */
const SERVER = ["-I", "-m", "glossator.lsp", "--stdio"];

/** The extension at work. */
export class Glossator implements Disposable {
  readonly log: LogOutputChannel = window.createOutputChannel("Glossator", { log: true });
  readonly server: Server;
  readonly chat: Chat;
  readonly #panel: PanelView;
  readonly #inquiries: Inquiries;
  readonly #standings: Standings;
  readonly #choices = new Choices((error) => void showFailure(error, this.log));
  readonly #parts: Disposable;
  #restartWanted = false;
  #installing: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: ExtensionContext) {
    const { extensionUri, workspaceState, secrets } = context;
    const diagnostics = new DiagnosticsPort();
    const terminal = new TerminalPort();
    const spans = new Spans();
    this.#panel = new PanelView(extensionUri);
    this.#inquiries = new Inquiries(this.#panel, {
      notify: warn,
      goTo: async (sessionId) => {
        if (sessionId !== "" && sessionId !== this.chat.sessionId) {
          await this.chat.resume(sessionId);
        }
      },
      changed: () => this.#standings.waits(this.#inquiries.waiting.map(({ summary }) => summary)),
      failed: (error) => void showFailure(error, this.log),
    });
    this.server = new Server(
      (report) => this.#prepare(report),
      this.#handlers(diagnostics, terminal),
      this.log,
      (run) => this.#choices.tell(run),
    );
    this.chat = new Chat(
      this.server,
      workspaceState,
      this.#panel,
      (sessionId, runs) => mayReplace(this.server, sessionId, runs),
      this.log,
    );
    this.#standings = new Standings(this.server, this.chat, this.#panel, secrets, this.log);
    const standings = this.#standings;
    const parts: Parts = {
      server: this.server,
      chat: this.chat,
      panel: this.#panel,
      spans,
      choices: this.#choices,
      secrets,
      log: this.log,
      pasted: join(context.globalStorageUri.fsPath, "pasted"),
      refresh: () => standings.refresh(),
      get mode() {
        return standings.mode;
      },
    };
    const shown = new ShownState((state) => {
      this.server.tellState(state).catch((error) => this.log.warn(messageOf(error)));
    });
    this.#parts = Disposable.from(
      this.log,
      this.server,
      this.chat,
      this.#panel,
      this.#standings,
      diagnostics,
      terminal,
      spans,
      serveTexts(),
      announceEndings(this.chat, this.#panel, this.log),
      ...registerCommands(parts, this.#inquiries),
      ...this.#listeners(parts),
      shown,
      this.server.onState(({ phase }) => phase === "ready" && shown.again()),
    );
  }

  /** Start the server; what goes wrong is shown. */
  async start(): Promise<void> {
    await this.server.restart();
  }

  /** End the server. */
  async stop(): Promise<void> {
    await this.server.stop();
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #handlers(diagnostics: DiagnosticsPort, terminal: TerminalPort): Handlers {
    const inquiries = this.#inquiries;
    return {
      "glossator/permission": (asked, token) => inquiries.ask(permission(asked), token),
      "glossator/question": (asked, token) => inquiries.ask(question(asked), token),
      "glossator/review": (plan, token) => inquiries.ask(review(plan), token),
      "glossator/diagnostics": (wanted, token) => diagnostics.answer(wanted, token),
      "glossator/saveDocuments": (wanted, token) => save(wanted, token),
      "glossator/calls": (wanted) => calls(wanted),
      "glossator/terminal": () => terminal.answer(),
    };
  }

  #listeners(parts: Parts): Disposable[] {
    return [
      this.server.onState((state) => this.#serverIs(state)),
      this.chat.onEnding(() => this.#restartIfWanted()),
      this.#panel.onMessage((message) => {
        dispatch(message, parts, this.#inquiries).catch((error) => showFailure(error, this.log));
      }),
      this.#panel.onMove(() => {
        this.chat.replay();
        this.#standings.post();
        this.#inquiries.moved();
      }),
      workspace.onDidGrantWorkspaceTrust(() => this.#restartWhenIdle()),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("glossator")) {
          this.#choices.forget((setting) => change.affectsConfiguration(setting));
          this.#restartWhenIdle();
        }
      }),
      workspace.onDidChangeWorkspaceFolders(() => void this.#standings.refresh()),
      this.chat.onChange(() => setContext("running", this.chat.running.length > 0)),
    ];
  }

  #serverIs(state: ServerState): void {
    setContext("ready", state.phase === "ready");
    if (state.phase !== "ready") {
      this.#inquiries.withdrawAll();
    }
    if (state.phase === "failed") {
      void showFailure(state.error, this.log);
    }
  }

  /** The server takes its settings as it starts; a run that is under way is not broken off. */
  #restartWhenIdle(): void {
    this.#restartWanted = true;
    this.#restartIfWanted();
  }

  #restartIfWanted(): void {
    if (this.#restartWanted && this.chat.running.length === 0) {
      this.#restartWanted = false;
      void this.server.restart();
    }
  }

  async #prepare(report: (step: string) => void): Promise<Launch> {
    report("Looking for Python");
    const program = await this.#python();
    const named = pythonSetting();
    const own = named && named !== program ? `, since ${named} has no server of this version` : "";
    this.log.info(`The server runs with ${program}${own}`);
    const { secrets, extension } = this.context;
    return {
      program,
      args: SERVER,
      environment: await withKey(secrets, process.env),
      settings: serverSettings(extension.packageJSON),
      trusted: workspace.isTrusted,
    };
  }

  /** The Python with the server in it; installing shows its progress, and is done once at a time. */
  async #python(): Promise<string> {
    const { globalStorageUri, extensionUri, extension } = this.context;
    const setting = pythonSetting();
    const wanted = {
      storage: globalStorageUri.fsPath,
      wheels: `${extensionUri.fsPath}/wheels`,
      version: String(extension.packageJSON.version),
      setting,
    };
    const options = { location: ProgressLocation.Notification, title: "Glossator" };
    const installing = this.#installing.then(() =>
      pythonWithServer(wanted, () => findInterpreter(setting, candidates(this.log)), {
        during: (work) =>
          window.withProgress(options, (bar) => work((message) => bar.report({ message }))),
      }),
    );
    this.#installing = installing.catch(() => undefined);
    return await installing;
  }
}

/** For the `when` clauses of the manifest. */
function setContext(name: "ready" | "running", value: boolean): void {
  void commands.executeCommand("setContext", `glossator.${name}`, value);
}
