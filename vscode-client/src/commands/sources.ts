// What the Context view offers for each source of what the model is told, and the same by a picker.

import { commands, type QuickPickItem, Uri, window } from "vscode";
import { heard, linesOf, signOf, wordsOf } from "../context/entries.ts";
import { confirm } from "../notices.ts";
import type { Inquiries } from "../ports/inquiries.ts";
import { UserError } from "../result.ts";
import { labelled } from "../shown.ts";
import type { ContextSource, ListedRule } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import { removeRule } from "./rules.ts";
import type { Workbench } from "./workbench.ts";

type Action = ContextSource["actions"][number];

const ACTIONS: Readonly<Record<Action, readonly [icon: string, label: string]>> = {
  open: ["go-to-file", "Open"],
  adopt: ["check", "Approve…"],
  turnOn: ["eye", "Turn On"],
  turnOff: ["eye-closed", "Turn Off"],
  pin: ["pin", "Pin"],
  unpin: ["pinned", "Unpin"],
  restart: ["debug-restart", "Restart"],
  rebuild: ["refresh", "Rebuild"],
  configure: ["settings-gear", "Change Setting"],
  login: ["sign-in", "Log In…"],
  logout: ["sign-out", "Log Out"],
  forget: ["trash", "Forget…"],
};
const SETTINGS: Partial<Record<ContextSource["kind"], string>> = {
  rule: "glossator.permissions",
  index: "glossator.retrieval",
};
const FORGET = "Forget";
const TITLE = "Glossator: context";

type Perform = (source: ContextSource, action: Action) => Promise<void>;

interface Item extends QuickPickItem {
  readonly source: ContextSource;
}

/** The commands; the view gives them what was clicked. */
export function sources(bench: Workbench, inquiries: Inquiries) {
  const perform = async (source: ContextSource, action: Action) => {
    await inquiries.expecting(() => act(bench, source, action));
    bench.refreshContext();
  };
  const does = (action: Action) => (given: unknown) => perform(sourceIn(given), action);
  return {
    "glossator.openContext": does("open"),
    "glossator.approveContext": does("adopt"),
    "glossator.turnOnContext": does("turnOn"),
    "glossator.turnOffContext": does("turnOff"),
    "glossator.pinContext": does("pin"),
    "glossator.unpinContext": does("unpin"),
    "glossator.restartContext": does("restart"),
    "glossator.rebuildContext": does("rebuild"),
    "glossator.configureContext": does("configure"),
    "glossator.logInContext": does("login"),
    "glossator.logOutContext": does("logout"),
    "glossator.forgetContext": does("forget"),
    "glossator.refreshContext": async () => bench.refreshContext(),
    "glossator.manageContext": () => manage(bench, perform),
    "glossator.manageTrust": async () => {
      await commands.executeCommand("workbench.trust.manage");
    },
  } satisfies CommandTable;
}

async function act(bench: Workbench, source: ContextSource, action: Action): Promise<void> {
  const { server } = bench;
  const { kind, id } = source;
  switch (action) {
    case "open":
      await open(bench, Uri.parse(source.uri));
      return;
    case "pin":
    case "unpin":
      await server.run("glossator.pinFact", { id, on: action === "pin" });
      return;
    case "turnOn":
    case "turnOff":
      await server.run("glossator.switchContext", { kind, id, on: action === "turnOn" });
      return;
    case "adopt":
      await (kind === "hook" // the server asks, and shows all that would run
        ? server.run("glossator.adoptHook", { id })
        : server.run("glossator.adoptMcpServer", { name: id }));
      return;
    case "restart":
      await server.run("glossator.restartMcpServer", { name: id });
      return;
    case "rebuild":
      await commands.executeCommand("glossator.rebuildIndex");
      return;
    case "configure":
      await commands.executeCommand("glossator.openSettings", SETTINGS[kind]);
      return;
    case "login":
      await server.run("glossator.loginMcpServer", { name: id });
      return;
    case "logout":
      await server.run("glossator.logoutMcpServer", { name: id });
      return;
    case "forget":
      await forget(bench, source);
      return;
  }
}

/** A file, or the lines that the link names. */
async function open({ spans }: Workbench, link: Uri): Promise<void> {
  const lines = linesOf(link.fragment);
  const uri = link.with({ fragment: "" });
  await (lines ? spans.open(uri, ...lines) : window.showTextDocument(uri));
}

/** A memory or a fact is deleted, an approval or an answer taken back. */
async function forget(bench: Workbench, source: ContextSource): Promise<void> {
  const { server } = bench;
  const { kind, id, name } = source;
  if (kind === "memory") {
    await commands.executeCommand("glossator.forgetMemory", source);
    return;
  }
  if (kind === "fact") {
    await commands.executeCommand("glossator.forgetFact", id);
    return;
  }
  if (kind === "rule") {
    const [from] = id.split(" ", 1);
    await removeRule(bench, name, from as ListedRule["source"]);
    return;
  }
  const detail = "It does not run any more, until you approve it again. Its file stays as it is.";
  if ((await confirm(`Forget that ${name} is approved?`, detail, FORGET)) === FORGET) {
    await (kind === "hook"
      ? server.run("glossator.forgetHook", { id })
      : server.run("glossator.forgetMcpServer", { name: id }));
  }
}

/** One is chosen, then what is to be done with it. */
async function manage(bench: Workbench, perform: Perform): Promise<void> {
  const list = await during("listing what the model is told", (token) =>
    bench.server.run("glossator.listContext", { sessionId: bench.chat.sessionId ?? null }, token),
  );
  const items = list.sources.filter(({ actions }) => actions.length > 0).map(itemOf);
  const placeHolder = items.length > 0 ? "What is it about?" : "There is nothing yet";
  const source = (await window.showQuickPick(items, { title: TITLE, placeHolder }))?.source;
  if (source) {
    const offered = source.actions.map((action) => {
      const [icon, label] = ACTIONS[action];
      return { action, label: `$(${icon}) ${label}` };
    });
    const picked = await window.showQuickPick(offered, {
      title: TITLE,
      placeHolder: heard(source),
    });
    if (picked) {
      await perform(source, picked.action);
    }
  }
}

function itemOf(source: ContextSource): Item {
  return {
    source,
    label: `$(${signOf(source).icon}) ${labelled(source.name)}`,
    description: `${source.kind} · ${wordsOf(source)}`,
    detail: labelled(source.why || source.detail),
  };
}

function sourceIn(given: unknown): ContextSource {
  if (typeof given === "object" && given !== null && "actions" in given) {
    return given as ContextSource;
  }
  throw new UserError("Choose what it is about in the Context view.");
}
