// Plans of plan mode, changed and started in an editor.

import { UserError } from "../result.ts";
import type { Mode } from "../wire.ts";
import type { CommandTable, Parts } from "./parts.ts";
import { currentSession } from "./sessions.ts";

const STARTS: ReadonlyArray<readonly [mode: Mode, label: string]> = [
  ["ask", "Start, Asking Before Changes"],
  ["acceptEdits", "Start, Accepting Edits"],
  ["auto", "Start in Auto"],
];

/** The commands: a code lens gives the document that it is in, and which of the ways it is. */
export function plans(parts: Parts) {
  return {
    "glossator.showPlan": () => editPlan(parts),
    "glossator.decidePlan": (uri, at) => parts.plans.decide(uri, at),
  } satisfies CommandTable;
}

/** Start the plan of the session that is shown, as the user changed it. */
export async function startPlan(parts: Parts, mode: Mode): Promise<void> {
  const { chat, plans } = parts;
  const sessionId = currentSession(parts);
  const changed = plans.changed(sessionId);
  await parts.run("glossator.setMode", mode);
  await chat.startPlan(mode, changed);
}

async function editPlan(parts: Parts): Promise<void> {
  const { chat, plans, server } = parts;
  const sessionId = currentSession(parts);
  const { plan } = await server.run("glossator.showPlan", { sessionId });
  if (plan === "") {
    throw new UserError("There is no plan in this session that waits to be started.");
  }
  const start = async (mode: Mode) => {
    await chat.resume(sessionId);
    await startPlan(parts, mode);
  };
  plans.offer(sessionId, plan, [
    ...STARTS.map(([mode, label]) => ({ label, icon: "play", take: () => start(mode) })),
    { label: "Leave It", icon: "close", take: () => plans.decided(sessionId) },
  ]);
  await plans.open(sessionId);
}
