// What earlier answers established: looking at facts, pinning and forgetting them; and the summary of a session.

import { type QuickPickItem, Uri, window } from "vscode";
import { showMarkdown } from "../editor/texts.ts";
import { confirm, inform } from "../notices.ts";
import { labelled } from "../shown.ts";
import type { Fact } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import { cleared, summaryReport } from "./facts-told.ts";
import { currentSession } from "./sessions.ts";
import type { Workbench } from "./workbench.ts";

const FORGET = "Forget";
const CLEAR = "Clear";
const TITLE = "Glossator: facts";

interface Item extends QuickPickItem {
  readonly fact: Fact;
}

/** The commands; each may be given a fact's id, else the user chooses one. */
export function facts(bench: Workbench) {
  const { server } = bench;
  return {
    "glossator.listFacts": async () => {
      const fact = await chosen(bench, "open its lines");
      if (fact) {
        await bench.spans.open(Uri.parse(fact.uri), fact.firstLine, fact.lastLine);
      }
    },
    "glossator.pinFact": async () => {
      const fact = await chosen(bench, "pin or unpin");
      if (fact) {
        await server.run("glossator.pinFact", { id: fact.id, on: !fact.pinned });
        bench.refreshContext();
      }
    },
    "glossator.forgetFact": async (given) => {
      const id = typeof given === "string" ? given : (await chosen(bench, "forget"))?.id;
      const detail = "No later question is told of it, until an answer states it again.";
      if (id && (await confirm("Forget this fact?", detail, FORGET)) === FORGET) {
        await server.run("glossator.forgetFact", { ids: [id] });
        bench.refreshContext();
      }
    },
    "glossator.clearFacts": async () => {
      const detail =
        "All facts of this workspace go for good, pinned ones too, and the summaries of its sessions. The sessions stay.";
      if ((await confirm("Clear all facts?", detail, CLEAR)) === CLEAR) {
        void inform(cleared(await server.run("glossator.clearFacts", { stale: false })));
        bench.refreshContext();
      }
    },
    "glossator.summarise": async () => {
      const sessionId = currentSession(bench);
      const summary = await during("summarising the session", (token) =>
        server.run("glossator.summarise", { sessionId }, token),
      );
      await showMarkdown("Glossator summary", summaryReport(summary));
    },
  } satisfies CommandTable;
}

async function chosen({ server }: Workbench, verb: string): Promise<Fact | undefined> {
  const { facts: known, problems } = await during("listing the facts", (token) =>
    server.run("glossator.listFacts", {}, token),
  );
  for (const problem of problems) {
    void window.showWarningMessage(problem);
  }
  const placeHolder =
    known.length > 0
      ? `Pick a fact to ${verb}`
      : "No fact is kept here yet; answers add some whose sentences are supported by their lines";
  const options = { title: TITLE, placeHolder, matchOnDescription: true };
  return (await window.showQuickPick(known.map(itemOf), options))?.fact;
}

function itemOf(fact: Fact): Item {
  const { statement, path, firstLine, lastLine, state, pinned } = fact;
  const lines = firstLine === lastLine ? `${firstLine}` : `${firstLine}-${lastLine}`;
  const icon = pinned ? "pinned" : state === "fresh" ? "verified" : "warning";
  return {
    fact,
    label: `$(${icon}) ${labelled(statement.replaceAll("`", ""))}`,
    description: labelled(`${path}:${lines}`),
    detail: state === "fresh" ? "" : "stale: its lines changed",
  };
}
