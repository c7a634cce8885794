// Actions on lines: from the light bulb with what the server put into them, from the palette or a menu
// for the selection.

import { type Diagnostic as CodeDiagnostic, languages, Range, window } from "vscode";
import { selectedLines } from "../editor/chips.ts";
import { fileEditor } from "../editor/insert.ts";
import { type LineAction, type Lines, QUESTIONS } from "../lines.ts";
import { wireDiagnostic } from "../ports/diagnostics.ts";
import { UserError } from "../result.ts";
import type { Command, CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

/** The commands. */
export function actions(bench: Workbench): Readonly<Record<LineAction, Command>> {
  const entries = Object.entries(QUESTIONS).map(([name, question]) => {
    const command = (given: unknown) => act(bench, name as LineAction, question, given);
    return [name, command] as const;
  });
  return Object.fromEntries(entries) as Record<LineAction, Command>;
}

/** Explain the function or class that the cursor is in; the server knows where it ends. */
export function here(bench: Workbench) {
  return {
    "glossator.explainHere": () => {
      const { firstLine, ...lines } = selected("glossator.explain");
      const about = { ...lines, firstLine, lastLine: firstLine, definition: true };
      return act(bench, "glossator.explain", "Explain this function.", about);
    },
  } satisfies CommandTable;
}

async function act(
  bench: Workbench,
  action: LineAction,
  question: string,
  given: unknown,
): Promise<void> {
  const lines = isLines(given) ? given : selected(action);
  const asks = action === "glossator.refactor" && !instructionIn(given);
  const instruction = asks ? await askForInstruction() : instructionIn(given);
  if (instruction === undefined) {
    return;
  }
  const about = instruction ? { ...lines, instruction } : lines;
  const words = instruction ? `${question}\n\n${instruction}` : question;
  await bench.panel.reveal();
  await bench.chat.act({ name: action, lines: about }, words);
}

/** What the user wants of it, where that was said already. */
export function instructionIn(given: unknown): string {
  const { instruction } = (given ?? {}) as { instruction?: unknown };
  return typeof instruction === "string" ? instruction : "";
}

/** Whether a light bulb says which lines it is about. */
export function isLines(given: unknown): given is Lines {
  return typeof (given as Lines | undefined)?.firstLine === "number";
}

/** Undefined if the user would rather not. */
async function askForInstruction(): Promise<string | undefined> {
  return await window.showInputBox({
    title: "Glossator: refactor",
    prompt: "What should become of it? With nothing said, Glossator proposes.",
    placeHolder: "Split it into two functions",
    ignoreFocusOut: true,
  });
}

/** The selected lines, or the cursor's. Throws `UserError` if no file is open. */
export function selected(action: LineAction): Lines {
  const editor = fileEditor();
  if (!editor) {
    throw new UserError("No file is open. Open one, select some lines and try again.");
  }
  const { uri } = editor.document;
  const lines = { uri: uri.toString(), ...selectedLines(editor) };
  const range = new Range(lines.firstLine - 1, 0, lines.lastLine, 0);
  const touches = (found: CodeDiagnostic) => found.range.intersection(range) !== undefined;
  const found = action === "glossator.fix" ? languages.getDiagnostics(uri).filter(touches) : [];
  return found.length > 0 ? { ...lines, diagnostics: found.map(wireDiagnostic) } : lines;
}
