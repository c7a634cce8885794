// The mode, the index, how the server is, the key, the output, the settings.

import { commands, env, type QuickPickItem, window } from "vscode";
import { showMarkdown } from "../editor/texts.ts";
import { askForKey } from "../key.ts";
import { inform, warn } from "../notices.ts";
import { MODES, type Mode } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import { insteadOfKey, leaveLocalServer, localAddress, separator, use } from "./local-servers.ts";
import { doctorReport, statusReport } from "./reports.ts";
import type { Workbench } from "./workbench.ts";

const ICONS: Readonly<Record<Mode, string>> = {
  plan: "eye",
  ask: "shield",
  acceptEdits: "edit",
  auto: "rocket",
};

/** The commands. */
export function upkeep(bench: Workbench) {
  const { server, log } = bench;
  return {
    "glossator.setMode": (given, sessionId) => setMode(bench, given, sessionId),
    "glossator.rebuildIndex": (given) => rebuildIndex(bench, given),
    "glossator.status": async () => {
      await showMarkdown(
        "Glossator status",
        statusReport(await server.run("glossator.status", {})),
      );
    },
    "glossator.doctor": async () => {
      const answer = await during("looking at everything", (token) =>
        server.run("glossator.doctor", {}, token),
      );
      await showMarkdown("Glossator doctor", doctorReport(answer));
    },
    "glossator.restartServer": () => server.restart(),
    "glossator.setApiKey": () => setApiKey(bench),
    "glossator.showOutput": async () => log.show(),
    "glossator.openSettings": (given) => openSettings(given),
  } satisfies CommandTable;
}

/** All, or those that a query finds. They are a machine's: of a remote one they stand in a place of its own. */
async function openSettings(given: unknown): Promise<void> {
  const query = typeof given === "string" ? given : "@ext:glossator.glossator";
  const where = env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
  await commands.executeCommand(`workbench.action.${where}`, { query });
}

/** In a session; none given, in the one that is shown, or in those to come. */
async function setMode(bench: Workbench, given: unknown, session: unknown): Promise<void> {
  const sessionId = typeof session === "string" ? session : bench.chat.sessionId;
  const known = MODES.find(({ id }) => id === given)?.id;
  const mode =
    known ??
    (await chooseMode(bench.modeOf(sessionId), sessionId ? "this session" : "the next session"));
  if (mode) {
    await bench.server.run("glossator.setMode", {
      mode,
      sessionId: sessionId ?? null,
      once: sessionId === undefined,
    });
    bench.choices.choseMode(mode, sessionId);
    await bench.refresh();
  }
}

async function chooseMode(current: Mode, where: string): Promise<Mode | undefined> {
  const items = MODES.map(({ id, label, detail }) => {
    const description = id === current ? "now" : "";
    return { id, label: `$(${ICONS[id]}) ${label}`, description, detail };
  });
  const placeHolder = `What is done without asking in ${where}; later ones begin as the setting says`;
  const picked = await window.showQuickPick(items, { title: "Glossator: mode", placeHolder });
  return picked?.id;
}

/** From scratch, or only what has changed. */
async function rebuildIndex({ server }: Workbench, given: unknown): Promise<void> {
  const mode = given === "update" ? given : "rebuild";
  const answer = await during("building the index", (token) =>
    server.run("glossator.rebuildIndex", { mode }, token),
  );
  const seconds = (answer.milliseconds / 1000).toFixed(1);
  const done = `The index has ${answer.indexed.toLocaleString()} of ${answer.files.toLocaleString()} files, after ${seconds} s.`;
  if (answer.problems.length > 0) {
    void warn(`${done} ${answer.problems.join(" ")}`);
  } else {
    void inform(done);
  }
}

/** A key, or a model on this machine where one is found and no key is set. */
async function setApiKey(bench: Workbench): Promise<void> {
  const { secrets, server } = bench;
  const local = await insteadOfKey(bench);
  if (local.length > 0) {
    const key = { label: "$(key) Enter an API key…", description: "of the Anthropic API" };
    const items = [...local, separator(""), key];
    const title = "Glossator: what shall answer?";
    const placeHolder = "A model on this machine, or one of Anthropic's with an API key";
    const picked = await window.showQuickPick<QuickPickItem>(items, { title, placeHolder });
    if (picked !== key) {
      const model = local.find((each) => each === picked);
      return model && (await use(bench.memento, model));
    }
  }
  if (await askForKey(secrets)) {
    await server.restart();
    await leaveIfWanted(bench);
  }
}

/** A key is of no use while requests go to a server on this machine. */
async function leaveIfWanted({ memento }: Workbench): Promise<void> {
  const address = localAddress();
  const leave = "Ask Anthropic Instead";
  if (address && (await inform(`Requests still go to ${address}.`, leave)) === leave) {
    await leaveLocalServer(memento);
  }
}
