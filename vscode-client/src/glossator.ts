// Everything that lives while the extension is active, and how it is put together.

import {
  type Disposable,
  type ExtensionContext,
  type LogOutputChannel,
  ProgressLocation,
  window,
  workspace,
} from "vscode";
import { withKey } from "./key.ts";
import { candidates } from "./python.ts";
import type { Launch } from "./server/connection.ts";
import { ensureEnvironment } from "./server/environment.ts";
import { findInterpreter } from "./server/interpreter.ts";
import { Server } from "./server/server.ts";
import { ownSetting, serverSettings, settingNames } from "./settings.ts";
import { StatusItem } from "./status.ts";
import type { StatusAnswer } from "./wire.ts";

const SERVER = ["-m", "glossator.lsp", "--stdio"];

/** The extension at work. */
export class Glossator implements Disposable {
  readonly log: LogOutputChannel = window.createOutputChannel("Glossator", { log: true });
  readonly server: Server;
  readonly #status = new StatusItem();
  readonly #parts: Disposable[] = [this.log, this.#status];
  #told: StatusAnswer | undefined;

  constructor(private readonly context: ExtensionContext) {
    this.server = new Server((report) => this.#prepare(report), {}, this.log);
    this.#parts.push(
      this.server,
      this.server.onState(() => void this.#refresh()),
      workspace.onDidGrantWorkspaceTrust(() => void this.server.restart()),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("glossator")) {
          void this.server.restart();
        }
      }),
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
    for (const part of this.#parts.reverse()) {
      part.dispose();
    }
  }

  async #prepare(report: (step: string) => void): Promise<Launch> {
    const program = await this.#python(report);
    const { secrets, extension } = this.context;
    return {
      program,
      args: SERVER,
      environment: await withKey(secrets, process.env),
      settings: serverSettings(settingNames(extension.packageJSON)),
      trusted: workspace.isTrusted,
    };
  }

  /** The Python of our own environment; it is made, with a visible progress, where it is missing. */
  async #python(report: (step: string) => void): Promise<string> {
    report("Looking for Python");
    const interpreter = await findInterpreter(ownSetting("python"), candidates());
    this.log.info(
      `Python ${interpreter.version.join(".")}: ${interpreter.path} (${interpreter.source})`,
    );
    const { globalStorageUri, extensionUri } = this.context;
    const places = { storage: globalStorageUri.fsPath, wheels: `${extensionUri.fsPath}/wheels` };
    const options = { location: ProgressLocation.Notification, title: "Glossator" };
    return await ensureEnvironment(interpreter, places, {
      during: (work) =>
        window.withProgress(options, (bar) => work((message) => bar.report({ message }))),
    });
  }

  async #refresh(): Promise<void> {
    const { state } = this.server;
    this.#status.show(state, this.#told, 0);
    if (state.phase === "ready") {
      this.#told = await this.server.run("glossator.status", {});
      this.#status.show(this.server.state, this.#told, this.#told.runs.length);
    }
  }
}
