// What a click on the status bar offers: what is wrong first, then what is usual.

import { commands, QuickPickItemKind, window } from "vscode";
import { ACTS } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

interface Entry {
  readonly label: string;
  readonly command: string;
  readonly description?: string;
}

/** The command. */
export function menu(bench: Workbench) {
  return { "glossator.showMenu": () => showMenu(bench) } satisfies CommandTable;
}

async function showMenu({ server, chat }: Workbench): Promise<void> {
  const { state } = server;
  const problem = state.phase === "failed" || state.phase === "waiting" ? state.problem : undefined;
  const mending: Entry[] = [
    { label: "$(debug-restart) Restart server", command: "glossator.restartServer" },
    { label: "$(output) Show output", command: "glossator.showOutput" },
  ];
  const usual: Entry[] = [
    { label: "$(comment-discussion) Open the chat", command: "glossator.chat.focus" },
    ...(chat.conversations.running.length > 0
      ? [{ label: `$(debug-stop) ${ACTS.stop}`, command: "glossator.cancel" }]
      : []),
    { label: "$(telescope) Explore", command: "glossator.explore" },
    { label: "$(search) Search", command: "glossator.search" },
    { label: "$(add) New session", command: "glossator.newSession" },
    { label: "$(history) Resume a session", command: "glossator.resumeSession" },
    { label: "$(shield) Set the mode", command: "glossator.setMode" },
    { label: "$(law) Permission rules", command: "glossator.permissionRules" },
    { label: "$(hubot) Choose the model", command: "glossator.setModel" },
    { label: "$(layers) Show the context", command: "glossator.showContext" },
    { label: "$(list-tree) Where the context comes from", command: "glossator.context.focus" },
    { label: "$(pulse) Status", command: "glossator.status" },
    { label: "$(heart) Doctor", command: "glossator.doctor" },
    { label: "$(key) Set API key", command: "glossator.setApiKey" },
    { label: "$(server) Use a server on this machine", command: "glossator.useLocalServer" },
    { label: "$(gear) Settings", command: "glossator.openSettings" },
  ];
  const items = (problem ? [...mending, ...usual] : [...usual, ...mending]).map((entry) => ({
    kind: QuickPickItemKind.Default,
    ...entry,
  }));
  const picked = await window.showQuickPick(items, {
    title: "Glossator",
    placeHolder: problem ?? "What would you like to do?",
  });
  if (picked) {
    await commands.executeCommand(picked.command);
  }
}
