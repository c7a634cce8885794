// The permission rules that hold: which there are, where each is from, and removing those that were
// answered.

import { commands, type QuickPickItem, window } from "vscode";
import { confirm } from "../notices.ts";
import { labelled } from "../shown.ts";
import type { ListedRule } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

const EFFECTS: Readonly<Record<ListedRule["effect"], { icon: string; words: string }>> = {
  allow: { icon: "check", words: "allowed" },
  ask: { icon: "question", words: "asked about" },
  deny: { icon: "circle-slash", words: "denied" },
};
const SOURCES: Readonly<Record<ListedRule["source"], string>> = {
  settings: "from your settings, where alone it can be changed",
  session: "answered for the session that is shown",
  always: "answered for always, in this workspace",
};
const REMOVE = "Remove";

interface Item extends QuickPickItem {
  readonly rule: ListedRule;
}

/** The command. */
export function rules(bench: Workbench) {
  return { "glossator.permissionRules": () => showRules(bench) } satisfies CommandTable;
}

/** The list comes again after a rule was removed. */
async function showRules(bench: Workbench): Promise<void> {
  const sessionId = bench.chat.sessionId ?? null;
  let { rules: known } = await bench.server.run("glossator.listRules", { sessionId });
  for (;;) {
    const rule = await choose(known);
    if (!rule) {
      return;
    }
    if (!rule.removable) {
      await commands.executeCommand("glossator.openSettings", "glossator.permissions");
      return;
    }
    known = (await removeRule(bench, rule.text, rule.source)) ?? known;
  }
}

/** Once the user says so; gives the rules that are left then. */
export async function removeRule(
  { server, chat }: Workbench,
  text: string,
  source: ListedRule["source"],
): Promise<readonly ListedRule[] | undefined> {
  const detail = `What it says is asked about again. It was ${SOURCES[source]}.`;
  if ((await confirm(`Remove the rule ${text}?`, detail, REMOVE)) !== REMOVE) {
    return undefined;
  }
  const sessionId = chat.sessionId ?? null;
  return (await server.run("glossator.removeRule", { text, source, sessionId })).rules;
}

async function choose(known: readonly ListedRule[]): Promise<ListedRule | undefined> {
  const placeHolder =
    known.length > 0
      ? "Pick a rule to remove it, or to change the setting that has it"
      : "There are none: the mode decides what may act, and you are asked about the rest";
  const title = "Glossator: permission rules";
  return (await window.showQuickPick(known.map(itemOf), { title, placeHolder }))?.rule;
}

function itemOf(rule: ListedRule): Item {
  const { icon, words } = EFFECTS[rule.effect];
  return {
    rule,
    label: `$(${icon}) ${labelled(rule.text)}`,
    description: words,
    detail: SOURCES[rule.source],
  };
}
