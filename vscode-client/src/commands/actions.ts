// Actions on lines: from the light bulb with what the server put into them, from the palette or a menu
// for the selection.

import { type Diagnostic as CodeDiagnostic, languages, Range, window } from "vscode";
import { linesChip, selectedLines } from "../editor/chips.ts";
import { wireDiagnostic } from "../ports/diagnostics.ts";
import { UserError } from "../result.ts";
import type { Diagnostic } from "../wire.ts";
import type { CommandTable, Parts } from "./parts.ts";

/** What an action is about, as the server takes it. */
export interface Lines {
  readonly uri: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly diagnostics?: readonly Diagnostic[];
  readonly instruction?: string;
}

/** The server's actions, and how the question is put in the chat until the server has worded it. */
const QUESTIONS = {
  "glossator.explain": "Explain these lines.",
  "glossator.fix": "Fix these lines.",
  "glossator.refactor": "Refactor these lines.",
  "glossator.document": "Document these lines.",
  "glossator.writeTests": "Write tests for these lines.",
  "glossator.exploreUsage": "Who uses these lines, and how?",
} as const;

/** One of them. */
export type LineAction = keyof typeof QUESTIONS;

/** The commands. */
export function actions(parts: Parts): CommandTable {
  const entries = Object.entries(QUESTIONS).map(([name, question]) => {
    const command = (given: unknown) => act(parts, name as LineAction, question, given);
    return [name, command] as const;
  });
  return Object.fromEntries(entries);
}

async function act(
  parts: Parts,
  action: LineAction,
  question: string,
  about: unknown,
): Promise<void> {
  const lines = isLines(about) ? about : selected(action);
  const instruction = action === "glossator.refactor" ? await askForInstruction() : "";
  if (instruction === undefined) {
    return;
  }
  await parts.panel.reveal();
  const given = instruction ? { ...lines, instruction } : lines;
  await parts.chat.act(action, given, question, linesChip(lines));
}

function isLines(given: unknown): given is Lines {
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

/** Throws `UserError` if no file is open. */
function selected(action: LineAction): Lines {
  const editor = window.activeTextEditor;
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
