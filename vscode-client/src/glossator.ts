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
import { type Bookmark, Chat } from "./chat/chat.ts";
import type { Conversation } from "./chat/conversation.ts";
import { Conversations } from "./chat/conversations.ts";
import { announceEndings } from "./chat/endings.ts";
import { Choices } from "./choices.ts";
import { showFailure } from "./commands/failures.ts";
import { commandTable, registerCommands } from "./commands/register.ts";
import { mayReplace, undoTurns } from "./commands/undo.ts";
import type { Shared, Workbench } from "./commands/workbench.ts";
import { followingView } from "./context/following.ts";
import { Changes } from "./editor/changes.ts";
import { InPlace } from "./editor/in-place.ts";
import { Plans } from "./editor/plans.ts";
import { Proposals } from "./editor/proposals.ts";
import { Spans } from "./editor/spans.ts";
import { ShownState } from "./editor/state.ts";
import { serveTexts } from "./editor/texts.ts";
import { Jobs } from "./jobs.ts";
import { withKey } from "./key.ts";
import { Newest } from "./newest.ts";
import { warn } from "./notices.ts";
import type { ChatPanel } from "./panel/chat-panel.ts";
import { askOrDo, dispatch } from "./panel/dispatch.ts";
import { code } from "./ports/code.ts";
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
import {
  editorEncodings,
  opensDiffs,
  pythonSetting,
  serverSettings,
  showsChanges,
  startSettings,
} from "./settings.ts";
import { Standings } from "./standings.ts";
import { type Surface, Surfaces } from "./surfaces.ts";
import { UndoneFiles } from "./undone-files.ts";
import type { PermissionRequest, ReviewRequest } from "./wire.ts";

/** `-I`: nothing from the current folder or the environment takes the place of a module. */
const SERVER = ["-I", "-m", "glossator.lsp", "--stdio"];
const KEPT_MODES = "glossator.modes";
const STARTED_WITH = ["glossator", "files.encoding", "files.associations"];

/** The extension at work. */
export class Glossator implements Disposable {
  readonly log: LogOutputChannel = window.createOutputChannel("Glossator", { log: true });
  readonly server: Server;
  readonly conversations: Conversations;
  readonly surfaces: Surfaces;
  readonly #inquiries: Inquiries;
  readonly #standings: Standings;
  readonly changes: Changes;
  readonly inPlace = new InPlace();
  readonly plans: Plans;
  readonly proposals = new Proposals(opensDiffs, (error) => void showFailure(error, this.log));
  readonly #choices: Choices;
  readonly #parts: Disposable;
  #restartWanted = false;
  #startedWith = ""; // the settings, and whether the workspace is trusted
  #installing: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: ExtensionContext) {
    const { extensionUri, workspaceState, globalState, secrets } = context;
    const diagnostics = new DiagnosticsPort();
    const terminal = new TerminalPort();
    const spans = new Spans();
    this.#choices = new Choices((error) => void showFailure(error, this.log), {
      modes: workspaceState.get(KEPT_MODES, {}),
      keep: (modes) => void workspaceState.update(KEPT_MODES, modes),
    });
    this.plans = new Plans(workspaceState, (error) => void showFailure(error, this.log));
    this.surfaces = new Surfaces(extensionUri);
    this.#inquiries = new Inquiries(this.surfaces, {
      notify: warn,
      goTo: (sessionId) => this.surfaces.goTo(sessionId),
      changed: () => this.#standings.waits(this.#inquiries.waiting.map(({ summary }) => summary)),
      failed: (error) => void showFailure(error, this.log),
    });
    this.server = new Server(
      (report) => this.#prepare(report),
      this.#handlers(diagnostics, terminal),
      this.log,
      (run) => this.#choices.tell(run),
    );
    this.conversations = new Conversations(this.server, workspaceState);
    this.changes = new Changes(
      this.server,
      workspaceState,
      (turns) => undoTurns(this.server, turns),
      (sessionId = "") => showsChanges() || this.inPlace.has(sessionId),
      (error) => void showFailure(error, this.log),
      this.inPlace,
    );
    const contextView = followingView(
      this.server,
      this.surfaces,
      this.conversations,
      (error) => void showFailure(error, this.log),
    );
    const jobs = new Jobs(this.server, this.surfaces);
    const shared: Shared = {
      server: this.server,
      surfaces: this.surfaces,
      spans,
      proposals: this.proposals,
      plans: this.plans,
      changes: this.changes,
      inPlace: this.inPlace,
      choices: this.#choices,
      jobs,
      secrets,
      memento: globalState,
      log: this.log,
      pasted: join(context.globalStorageUri.fsPath, "pasted"),
      refresh: () => this.#standings.refresh(),
      refreshContext: () => contextView.refresh(),
      modeOf: (sessionId) => this.#standings.modeOf(sessionId),
    };
    this.surfaces.begin((...given) => this.#surface(shared, ...given), workspaceState);
    this.#standings = new Standings(
      this.server,
      this.conversations,
      this.surfaces,
      this.changes,
      this.plans,
      this.#choices,
      secrets,
      this.log,
    );
    const shown = new ShownState((state) => {
      this.server.tellState(state).catch((error) => this.log.warn(messageOf(error)));
    });
    this.#parts = Disposable.from(
      this.log,
      this.server,
      this.conversations,
      this.surfaces,
      this.#standings,
      diagnostics,
      terminal,
      spans,
      jobs,
      this.proposals,
      this.plans,
      this.server.onEvent((event) => this.plans.told(event)),
      this.server.onEvent((event) => this.inPlace.told(event)),
      this.inPlace,
      this.changes,
      serveTexts(),
      announceEndings(
        this.conversations,
        this.surfaces,
        this.log,
        (runId) => this.inPlace.run(runId) !== undefined,
      ),
      ...registerCommands(this.surfaces, this.log),
      ...this.#listeners(),
      shown,
      this.server.onState(({ phase }) => phase === "ready" && shown.again()),
      contextView,
    );
  }

  /** The chat that the user turned to last. */
  get chat(): Chat {
    return this.surfaces.current.chat;
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
      "glossator/permission": (asked: PermissionRequest, token) =>
        inquiries.ask(
          permission(asked, this.proposals, (hunks) =>
            this.changes.reviewed(asked.sessionId, hunks),
          ),
          token,
        ),
      "glossator/question": (asked, token) => inquiries.ask(question(asked, this.plans), token),
      "glossator/review": async (plan: ReviewRequest, token) =>
        this.inPlace.review(plan) ??
        (await inquiries.ask(
          review(plan, this.proposals, (hunks) => this.changes.reviewed(plan.sessionId, hunks)),
          token,
        )),
      "glossator/diagnostics": (wanted, token) => diagnostics.answer(wanted, token),
      "glossator/saveDocuments": (wanted, token) => save(wanted, token),
      "glossator/code": (wanted) => code(wanted),
      "glossator/terminal": () => terminal.answer(),
    };
  }

  /** A chat, with the commands as they are about it. */
  #surface(
    shared: Shared,
    panel: ChatPanel,
    bookmark: Bookmark,
    conversation?: Conversation,
  ): Surface {
    const { server, log, surfaces } = this;
    const others = {
      mayReplace: (sessionId: string, runs: readonly string[]) =>
        mayReplace(server, sessionId, runs),
      bringsElsewhere: async (sessionId: string) => {
        const other = surfaces.showing(sessionId);
        const isOther = other !== undefined && other.chat !== chat;
        return isOther && (await other.panel.reveal());
      },
    };
    const { conversations } = this;
    const chat = new Chat(conversations, server, panel, bookmark, others, log, conversation);
    const bench: Workbench = {
      ...shared,
      chat,
      panel,
      searches: new Newest(),
      previews: new Newest(),
      run: async (name, ...given) => await table[name]?.(...given),
    };
    const table = commandTable(bench, this.#inquiries);
    chat.carryOut = (asking) => askOrDo(asking, bench);
    panel.onMessage((message) => {
      dispatch(message, bench, this.#inquiries).catch((error) => showFailure(error, log));
    });
    panel.onMove(() => chat.moved());
    panel.onUse(() => chat.used());
    const undoneFiles = new UndoneFiles(server, chat, panel, (error) =>
      log.warn(`Which files are undone is not known: ${messageOf(error)}`),
    );
    const both = Disposable.from(chat, undoneFiles);
    return { panel, chat, commands: table, dispose: () => both.dispose() };
  }

  #listeners(): Disposable[] {
    return [
      this.server.onState((state) => this.#serverIs(state)),
      this.conversations.onEnding(() => this.#restartIfWanted()),
      this.surfaces.onMove(() => {
        this.#standings.post();
        this.#inquiries.moved();
      }),
      window.onDidChangeWindowState(({ focused }) => focused && this.chat.used()),
      workspace.onDidGrantWorkspaceTrust(() => this.#restartWhenIdle()),
      workspace.onDidChangeConfiguration((change) => {
        const affects = (setting: string) => change.affectsConfiguration(setting);
        if (STARTED_WITH.some(affects) && this.#startedWith !== this.#wanted) {
          this.#choices.forget(affects);
          this.#restartWhenIdle();
        }
      }),
      workspace.onDidChangeWorkspaceFolders(() => {
        void this.#standings.refresh();
        if (this.#startedWith !== this.#wanted) {
          this.#restartWhenIdle(); // another encoding is set for a folder
        }
      }),
      this.conversations.onChange(() =>
        setContext("running", this.conversations.running.length > 0),
      ),
      this.surfaces.onTurn(() => setContext("inEditor", this.surfaces.isTabUsed)),
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
    this.#restartIfWanted();
  }

  /** The server takes its settings as it starts; a run that is under way is not broken off. */
  #restartWhenIdle(): void {
    this.#restartWanted = true;
    this.#restartIfWanted();
  }

  #restartIfWanted(): void {
    const isBusy = this.server.isConnecting || this.conversations.running.length > 0;
    if (this.#restartWanted && !isBusy) {
      this.#restartWanted = false;
      if (this.#startedWith !== this.#wanted) {
        void this.server.restart();
      }
    }
  }

  /** What a server would start with now, to be compared. */
  get #wanted(): string {
    const settings = startSettings(this.context.extension.packageJSON);
    return JSON.stringify([settings, workspace.isTrusted]);
  }

  async #prepare(report: (step: string) => void): Promise<Launch> {
    report("Looking for Python");
    this.#startedWith = this.#wanted;
    const { secrets, extension } = this.context;
    const [program, environment] = await Promise.all([
      this.#python(report),
      withKey(secrets, process.env),
    ]);
    const named = pythonSetting();
    const own = named && named !== program ? `, since ${named} has no server of this version` : "";
    this.log.info(`The server runs with ${program}${own}`);
    return {
      program,
      args: SERVER,
      environment,
      settings: serverSettings(extension.packageJSON),
      encodings: editorEncodings(),
      trusted: workspace.isTrusted,
    };
  }

  /** The Python with the server in it; installing shows its progress, also where chats are, and is done once at a time. */
  async #python(report: (step: string) => void): Promise<string> {
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
          window.withProgress(options, (bar) =>
            work((message) => {
              bar.report({ message });
              report(message);
            }),
          ),
      }),
    );
    this.#installing = installing.catch(() => undefined);
    return await installing;
  }
}

/** For the `when` clauses of the manifest. */
function setContext(name: "ready" | "running" | "inEditor", value: boolean): void {
  void commands.executeCommand("setContext", `glossator.${name}`, value);
}
