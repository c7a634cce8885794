// Plans of plan mode, changed and started in an editor.

import { randomUUID } from "node:crypto";
import { workspace } from "vscode";
import { UserError } from "../result.ts";
import { ACTS, MODES, type Mode } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { currentSession } from "./sessions.ts";
import type { Workbench } from "./workbench.ts";

const STARTS: ReadonlyArray<readonly [mode: Mode, label: string]> = MODES.filter(
  ({ id }) => id !== "plan",
).map(({ id, label }) => [id, `${ACTS.start} ${label}`]);

/** The commands: a code lens gives the document that it is in, and which of the ways it is. */
export function plans(bench: Workbench) {
  return {
    "glossator.showPlan": () => editPlan(bench),
    "glossator.decidePlan": (uri, at) => bench.plans.decide(uri, at),
  } satisfies CommandTable;
}

/** Start the plan of the session that is shown, as the user changed it. */
export async function startPlan(bench: Workbench, mode: Mode): Promise<void> {
  if (!workspace.isTrusted) {
    throw new UserError("Nothing may be changed before you trust this workspace.");
  }
  const sessionId = currentSession(bench);
  const changed = bench.plans.changed(sessionId);
  const runId = randomUUID();
  const starting = bench.server.onEvent((event) => {
    if (event.runId === runId && event.kind === "run.started") {
      bench.choices.choseMode(mode, sessionId); // the server has set it
      void bench.refresh();
    }
  });
  try {
    await bench.chat.startPlan(mode, changed, runId);
  } finally {
    starting.dispose();
  }
}

/** Have the plan of the session that is shown changed; the user's own changes to it go along. */
export async function changePlan({ chat, plans }: Workbench, words: string): Promise<void> {
  const changed = plans.changed(chat.sessionId ?? "");
  const question = [words, changed].filter((part) => part !== "").join("\n\n");
  await chat.ask({ runId: randomUUID(), question, chips: [], attachments: [] });
}

async function editPlan(bench: Workbench): Promise<void> {
  const { plans, server, surfaces } = bench;
  const sessionId = currentSession(bench);
  const { plan } = await server.run("glossator.showPlan", { sessionId });
  const start = async (mode: Mode) => {
    await surfaces.goTo(sessionId);
    const { chat } = surfaces.showing(sessionId) ?? surfaces.current;
    await startPlan({ ...bench, chat }, mode);
  };
  const starts = workspace.isTrusted ? STARTS : [];
  if (plan !== "") {
    plans.offer(sessionId, plan, [
      ...starts.map(([mode, label]) => ({ label, icon: "play", take: () => start(mode) })),
      { label: "Leave It", icon: "close", take: () => plans.leave(sessionId) },
    ]);
  }
  await plans.open(sessionId);
}
