// Editing the selected lines, or the cursor's, without leaving the editor: what to do is typed in a box,
// and the edit waits as a diff, in every mode. What the chat is at goes on beside it.

import { randomUUID } from "node:crypto";
import { type Disposable, ProgressLocation, window } from "vscode";
import { linesChip } from "../editor/chips.ts";
import { type Lines, QUESTIONS } from "../lines.ts";
import { shown } from "../shown.ts";
import { instructionIn, isLines, selected } from "./actions.ts";
import { Cancelling } from "./cancelling.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

const NAME = "glossator.edit";

/** The command. */
export function inline(bench: Workbench) {
  return { [NAME]: (given) => edit(bench, given) } satisfies CommandTable;
}

async function edit(bench: Workbench, given: unknown): Promise<void> {
  const lines = isLines(given) ? given : selected(NAME);
  const { label } = linesChip(lines);
  const instruction = instructionIn(given) || (await askForInstruction(label));
  if (instruction) {
    await carryOut(bench, lines, instruction, label);
  }
}

/** Its progress can be cancelled, from the beginning on and while the diff waits. */
async function carryOut(
  { chat, proposals, server }: Workbench,
  lines: Lines,
  instruction: string,
  label: string,
): Promise<void> {
  const runId = randomUUID();
  const title = `Glossator edits ${shown(label)}`;
  const options = { location: ProgressLocation.Notification, title, cancellable: true };
  await window.withProgress(options, async (bar, token) => {
    const cancelling = new Cancelling(() => chat.stop(runId));
    const cancelled = token.onCancellationRequested(() => cancelling.cancel());
    let awaited: Disposable | undefined;
    const heard = server.onEvent((event) => {
      if (event.runId === runId && event.kind === "run.started") {
        awaited = proposals.await(event.sessionId, () =>
          bar.report({ message: "Accept or reject it in the diff." }),
        );
        cancelling.begun();
      }
    });
    try {
      const about = { ...lines, instruction, review: true };
      const question = `${QUESTIONS[NAME]}\n\n${instruction}`;
      await chat.actElsewhere({ name: NAME, lines: about }, question, runId);
      await cancelling.settled();
    } finally {
      cancelled.dispose();
      heard.dispose();
      awaited?.dispose();
    }
  });
}

/** Undefined if the user would rather not. */
async function askForInstruction(label: string): Promise<string | undefined> {
  const typed = await window.showInputBox({
    title: `Glossator: edit ${shown(label)}`,
    prompt: "What should change? The edit is shown as a diff, and waits for your answer.",
    placeHolder: "Add the tax, and round the result",
    ignoreFocusOut: true,
  });
  return typed?.trim();
}
