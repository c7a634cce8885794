// Taking back what a turn changed; what somebody changed since is asked about.

import { window } from "vscode";
import { UserError } from "../result.ts";
import type { Turn, UndoAnswer, UndoProblem } from "../wire.ts";
import type { CommandTable, Parts } from "./parts.ts";
import { currentSession } from "./sessions.ts";

/** The command; it may be given a turn. */
export function undo(parts: Parts): CommandTable {
  return { "glossator.undoTurn": (given) => undoTurn(parts, given) };
}

async function undoTurn(parts: Parts, given: unknown): Promise<void> {
  const sessionId = currentSession(parts);
  const turn = typeof given === "string" ? given : (await choose(parts, sessionId))?.turn;
  if (!turn) {
    return;
  }
  const answer = await parts.server.run("glossator.undoTurn", { sessionId, turn });
  if (answer.turn === null && answer.conflicts.length > 0) {
    if (await overwrites(answer.conflicts)) {
      tell(await parts.server.run("glossator.undoTurn", { sessionId, turn, overwrite: true }));
    }
    return;
  }
  tell(answer);
}

async function choose(parts: Parts, sessionId: string): Promise<Turn | undefined> {
  const { turns } = await parts.server.run("glossator.listTurns", { sessionId });
  if (turns.length === 0) {
    throw new UserError("No turn of this session has changed files, so there is nothing to undo.");
  }
  const questions = new Map(turns.map((each) => [each.turn, each.question]));
  const undone = new Set(turns.flatMap((each) => each.undoes));
  const items = turns.toReversed().map((each) => ({
    turn: each,
    label: labelOf(each, questions),
    description: undone.has(each.turn) ? "undone" : "",
    detail: each.paths.join(", "),
  }));
  const options = { title: "Glossator: undo a turn", placeHolder: "Which turn's changes go?" };
  return (await window.showQuickPick(items, options))?.turn;
}

function labelOf(turn: Turn, questions: ReadonlyMap<string, string>): string {
  if (turn.undoes.length === 0) {
    return `$(discard) ${turn.question}`;
  }
  const taken = turn.undoes.map((each) => questions.get(each) || "an undo").join(", ");
  return `$(redo) Undo of: ${taken}`;
}

async function overwrites(conflicts: readonly UndoProblem[]): Promise<boolean> {
  const detail = `${lines(conflicts)}\n\nWhat was changed since is lost if you undo the turn all the same.`;
  const count = conflicts.length === 1 ? "A file was" : `${conflicts.length} files were`;
  const message = `${count} changed after this turn, so nothing was undone.`;
  const button = "Undo All the Same";
  return (await window.showWarningMessage(message, { modal: true, detail }, button)) === button;
}

function tell({ restored, conflicts, failed, incomplete, jobs }: UndoAnswer): void {
  const problems = [...conflicts, ...failed];
  const unknown = incomplete || jobs.length > 0;
  const what = restored.length > 0 ? `Brought back: ${restored.join(", ")}.` : "Nothing changed.";
  const notes = unknown
    ? " A command was not over when the turn was; look at what it changed."
    : "";
  if (problems.length > 0 || unknown) {
    const not = problems.length > 0 ? ` Not brought back: ${lines(problems)}.` : "";
    void window.showWarningMessage(what + not + notes);
  } else {
    void window.showInformationMessage(what);
  }
}

function lines(problems: readonly UndoProblem[]): string {
  return problems.map(({ path, reason }) => `${path}: ${reason}`).join("\n");
}
