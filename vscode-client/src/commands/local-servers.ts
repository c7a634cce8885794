// Servers of models on this machine, as Ollama: looked for when somebody looks at the set-up, and
// named in the settings by one choice.

import {
  ConfigurationTarget,
  type Memento,
  type QuickPickItem,
  QuickPickItemKind,
  window,
  workspace,
} from "vscode";
import { hasKey } from "../key.ts";
import { inform, warn } from "../notices.ts";
import { isOfflineWanted } from "../settings.ts";
import { literal } from "../shown.ts";
import type { LocalServer } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import type { Workbench } from "./workbench.ts";

const KEPT = "glossator.beforeLocalServer"; // the settings, by name
const SETTINGS = ["baseUrl", "profile", "main", "fast"];
const ADDRESS = "ANTHROPIC_BASE_URL"; // the server of models takes it before the settings

const NOWHERE =
  "No server of models was found on this machine. Start Ollama (port 11434), LM Studio (1234) or llama.cpp's server (8080), and try again.";

/** A model of such a server, to be chosen. */
export interface LocalModel extends QuickPickItem {
  readonly server: LocalServer;
  readonly model: string;
}

/** The command. */
export function localServers(bench: Workbench) {
  return { "glossator.useLocalServer": () => useLocalServer(bench) } satisfies CommandTable;
}

/** What could answer where no key is set; nothing is looked for where one is, or no model is wanted. */
export async function insteadOfKey(bench: Workbench): Promise<readonly LocalModel[]> {
  const { server, secrets } = bench;
  if (server.state.phase !== "ready" || isOfflineWanted() || (await hasKey(secrets))) {
    return [];
  }
  const { servers, offline } = await server.run("glossator.findLocalServers", {});
  return offline ? modelsOf(servers) : [];
}

/** The models of those that can be used. */
export function modelsOf(servers: readonly LocalServer[]): LocalModel[] {
  return servers
    .filter(({ problem }) => !problem)
    .flatMap((server) =>
      server.models.map((model) => ({
        label: `$(server) ${literal(model)}`,
        description: `${server.name} on this machine, ${server.url}`,
        server,
        model,
      })),
    );
}

/** A line between these and what else can be chosen. */
export function separator(label: string): QuickPickItem {
  return { label, kind: QuickPickItemKind.Separator };
}

/** Name the server and its model in the user's settings; the server starts again by that. */
export async function use(memento: Memento, { server, model }: LocalModel): Promise<void> {
  const fixed = process.env[ADDRESS];
  if (fixed && fixed !== server.url) {
    void warn(
      `Nothing was changed: ${ADDRESS} is set where VS Code was started (${fixed}), and beats the settings. Start VS Code without it, and choose ${model} again.`,
    );
    return;
  }
  const settings = workspace.getConfiguration("glossator.models");
  if (localAddress() === "") {
    const before = SETTINGS.map((name) => [name, settings.inspect(name)?.globalValue]);
    await memento.update(KEPT, Object.fromEntries(before));
  }
  const set = async (name: string, value: unknown) =>
    await settings.update(name, value, ConfigurationTarget.Global);
  await set("main", { model });
  if (settings.inspect("fast")?.globalValue !== undefined) {
    await set("fast", { model }); // which is the main one, if it is not set
  }
  await set("profile", server.profile);
  await set("baseUrl", server.url);
  void inform(`${model} of ${server.name} on this machine answers from now on.`);
}

/** Ask again who was asked before, with the models of then. */
export async function leaveLocalServer(memento: Memento): Promise<void> {
  const settings = workspace.getConfiguration("glossator.models");
  const before = memento.get<Readonly<Record<string, unknown>>>(KEPT, {});
  for (const name of SETTINGS) {
    await settings.update(name, before[name], ConfigurationTarget.Global);
  }
  await memento.update(KEPT, undefined);
}

/** The address on this machine to which requests go by the user's settings; empty if to none. */
export function localAddress(): string {
  const address = workspace.getConfiguration("glossator.models").inspect("baseUrl")?.globalValue;
  const isLocal = typeof address === "string" && /^http:\/\/(127\.|localhost)/.test(address);
  return isLocal ? address : "";
}

async function useLocalServer(bench: Workbench): Promise<void> {
  const { servers } = await during("looking for servers on this machine", (token) =>
    bench.server.run("glossator.findLocalServers", {}, token),
  );
  const items = modelsOf(servers);
  const problems = servers.filter(({ problem }) => problem);
  if (items.length === 0) {
    const said = problems.map(({ name, url, problem }) => `${name} (${url}): ${problem}`);
    const pressed = await inform(said.join(" ") || NOWHERE, "Look Again", "Open Setting");
    if (pressed === "Look Again") {
      await useLocalServer(bench);
    } else if (pressed === "Open Setting") {
      await bench.run("glossator.openSettings", "glossator.models.baseUrl");
    }
    return;
  }
  const title = "Glossator: a model on this machine";
  const fixed = process.env[ADDRESS];
  const isBeaten = Boolean(fixed) && items.some((each) => each.server.url !== fixed);
  const placeHolder = isBeaten
    ? `${ADDRESS} is set where VS Code was started, and beats what is chosen here`
    : "Answers from now on; your code is sent only there";
  const picked = await window.showQuickPick(items, { title, placeHolder });
  if (picked) {
    await use(bench.memento, picked);
  }
}
