// Editing the selected lines, or the cursor's, where they stand: what to do is typed in a box, the edit is
// made and marked at once, and kept or undone there. What the chat is at goes on beside it.

import { randomUUID } from "node:crypto";
import { ProgressLocation, window } from "vscode";
import { linesChip } from "../editor/chips.ts";
import type { PlaceEdit } from "../editor/in-place.ts";
import { fileEditor } from "../editor/insert.ts";
import { type Lines, QUESTIONS } from "../lines.ts";
import { messageOf, UserError } from "../result.ts";
import { shown, summaryOf } from "../shown.ts";
import type { Answer } from "../wire.ts";
import { instructionIn, isLines, selected } from "./actions.ts";
import { Cancelling } from "./cancelling.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

const NAME = "glossator.edit";
const STOPPED = "it was stopped.";

/** The commands; a code lens gives the run that its place is about, a key none. */
export function inline(bench: Workbench) {
  return {
    [NAME]: (given) => edit(bench, given),
    "glossator.keepInPlace": async (run) => keep(bench, placeOf(bench, run)),
    "glossator.undoInPlace": async (run) => await undo(bench, placeOf(bench, run)),
    "glossator.changeInPlace": async (run) => await change(bench, placeOf(bench, run)),
    "glossator.showInPlace": async (run) => await show(bench, placeOf(bench, run)),
    "glossator.stopInPlace": async (run) => placeOf(bench, run).stop(),
  } satisfies CommandTable;
}

async function edit(bench: Workbench, given: unknown): Promise<void> {
  const lines = isLines(given) ? given : selected(NAME);
  const before = bench.inPlace.at(lines.uri, lines.firstLine - 1, lines.lastLine - 1);
  if (before?.step !== undefined) {
    throw new UserError(
      "Glossator still works on these lines. Wait for it, or stop it with Escape.",
    );
  }
  const words = instructionIn(given) || (await askForInstruction(lines, before?.words, ""));
  if (words) {
    await carryOut(bench, lines, words, before);
  }
}

/** Undo what came of it, and ask for something else at the same lines. */
async function change(bench: Workbench, before: PlaceEdit): Promise<void> {
  const { uri, first, last } = before.place;
  const about = { uri: uri.toString(), firstLine: first + 1, lastLine: last + 1 };
  const words = await askForInstruction(about, undefined, before.words);
  if (words) {
    await undo(bench, before);
    const { first: firstNow, last: lastNow } = before.place;
    const lines = { ...about, firstLine: firstNow + 1, lastLine: lastNow + 1 };
    await carryOut(bench, lines, words, before);
  }
}

function keep({ changes, inPlace }: Workbench, edit: PlaceEdit): void {
  changes.keepParts(edit.place.uri, inPlace.partsOf(edit, changes.partsOf(edit.place.uri)));
  inPlace.close(edit);
}

async function undo({ changes, inPlace }: Workbench, edit: PlaceEdit): Promise<void> {
  await changes.undoParts(edit.place.uri, inPlace.partsOf(edit, changes.partsOf(edit.place.uri)));
  inPlace.close(edit);
}

/** Its conversation as one in the chat, where it goes on as any other. */
async function show({ chat, panel }: Workbench, { conversation }: PlaceEdit): Promise<void> {
  await panel.reveal();
  chat.show(conversation);
}

/** Throws `UserError` where nothing was asked. */
function placeOf({ inPlace }: Workbench, run: unknown): PlaceEdit {
  const editor = fileEditor();
  const found =
    typeof run === "string"
      ? inPlace.run(run)
      : editor && inPlace.shownAt(editor.document.uri, editor.selection.active.line);
  if (!found) {
    throw new UserError("No edit that you asked for in this file is shown here.");
  }
  return found;
}

/** The edit is shown from the beginning on; what goes wrong is said there, too. */
async function carryOut(
  { chat, changes, inPlace, server }: Workbench,
  lines: Lines,
  words: string,
  before: PlaceEdit | undefined,
): Promise<void> {
  const there = await chat.conversations.ofFile(lines.uri);
  const runId = randomUUID();
  const cancelling = new Cancelling(() => chat.stop(runId));
  const at = { uri: lines.uri, first: lines.firstLine - 1, last: lines.lastLine - 1 };
  const earlier = changes.partsOf(at.uri);
  const edit = inPlace.begin({
    ...at,
    words,
    runId,
    earlier,
    before,
    there,
    stop: () => cancelling.cancel(),
  });
  const heard = server.onEvent((event) => {
    if (event.runId === runId && event.kind === "run.started") {
      cancelling.begun();
    }
  });
  const chips = [linesChip(lines)];
  const about = { ...lines, instruction: words, review: true, inPlace: true, runId };
  const question = `${QUESTIONS[NAME]}\n\n${words}`;
  let answer: Answer | undefined;
  let problem = "";
  const run = async (sessionId: string | null): Promise<Answer> => {
    try {
      answer = await server.run(NAME, { ...about, sessionId });
      return answer;
    } catch (error) {
      problem = messageOf(error);
      throw error;
    }
  };
  const options = {
    location: ProgressLocation.Window,
    title: `Glossator edits ${shown(chips[0]?.label ?? "")}`,
  };
  await window.withProgress(options, async () => {
    try {
      await chat.conversations.follow(edit.conversation, { runId, question, chips }, run);
      await cancelling.settled();
    } finally {
      heard.dispose();
      const isChanged = answer !== undefined && answer.changedFiles.length > 0;
      const said = cancelling.isWanted ? STOPPED : (answer?.text ?? problem);
      inPlace.over(edit, isChanged ? "" : said);
    }
  });
}

/** Undefined if the user would rather not. `before` was asked here last, `value` is to be changed. */
async function askForInstruction(
  lines: Lines,
  before: string | undefined,
  value: string,
): Promise<string | undefined> {
  const { label } = linesChip(lines);
  const typed = await window.showInputBox({
    title: `Glossator: edit ${shown(label)}`,
    prompt:
      before === undefined
        ? "What should change? The edit is shown in its place, to be kept or undone."
        : `Goes on from “${summaryOf(before)}”. What else should change?`,
    placeHolder: "Add the tax, and round the result",
    value,
    ignoreFocusOut: true,
  });
  return typed?.trim();
}
