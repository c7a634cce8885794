// Taking back what a turn changed; what somebody changed since is asked about.

import { window } from "vscode";
import { confirm, inform, warn } from "../notices.ts";
import { UserError } from "../result.ts";
import type { Server } from "../server/server.ts";
import { labelled } from "../shown.ts";
import type { Turn, UndoProblem } from "../wire.ts";
import type { CommandTable, Parts } from "./parts.ts";
import { currentSession } from "./sessions.ts";
import { LAST } from "./slash.ts";
import { problemLines, standing, type Told, undone } from "./undone.ts";

const UNDO = "Undo the Changes";
const KEEP = "Keep Them";

/** A turn, or the last one that stands; with `since` all from it on. */
interface What {
  readonly turn?: string;
  readonly since?: boolean;
}

/** The command; it may be given a turn, or `LAST`. */
export function undo(parts: Parts): CommandTable {
  return { "glossator.undoTurn": (given) => undoTurn(parts, given) };
}

/**
 * Runs are to leave the conversation, and a question is asked in their place: what they changed in
 * files, and still stands, is taken back first if the user wants that. False: nothing is to happen.
 */
export async function mayReplace(
  server: Server,
  sessionId: string,
  runs: readonly string[],
): Promise<boolean> {
  const { turns } = await server.run("glossator.listTurns", { sessionId });
  const changed = standing(turns).filter(({ turn }) => runs.includes(turn));
  const [first] = changed;
  if (!first) {
    return true;
  }
  const detail = [...new Set(changed.flatMap(({ paths }) => paths))].join("\n");
  const question =
    "Undo what the old answer changed in your files before the question is asked again?";
  const pressed = await confirm(question, detail, UNDO, KEEP);
  if (pressed === UNDO) {
    await takeBack(server, sessionId, { turn: first.turn, since: true });
  }
  return pressed !== undefined;
}

async function undoTurn(parts: Parts, given: unknown): Promise<void> {
  const sessionId = currentSession(parts);
  if (given === LAST) {
    await takeBack(parts.server, sessionId, {});
    return;
  }
  const turn = typeof given === "string" ? given : (await choose(parts, sessionId))?.turn;
  if (turn) {
    await takeBack(parts.server, sessionId, { turn });
  }
}

async function takeBack(server: Server, sessionId: string, what: What): Promise<void> {
  const answer = await server.run("glossator.undoTurn", { sessionId, ...what });
  if (answer.turn !== null || answer.conflicts.length === 0) {
    tell(undone(answer));
  } else if (await overwrites(answer.conflicts)) {
    const request = { sessionId, ...what, overwrite: true };
    tell(undone(await server.run("glossator.undoTurn", request)));
  }
}

async function choose(parts: Parts, sessionId: string): Promise<Turn | undefined> {
  const { turns } = await parts.server.run("glossator.listTurns", { sessionId });
  if (turns.length === 0) {
    throw new UserError("No turn of this session has changed files, so there is nothing to undo.");
  }
  const questions = new Map(turns.map((each) => [each.turn, each.question]));
  const stand = new Set(standing(turns));
  const items = turns.toReversed().map((each) => ({
    turn: each,
    label: labelOf(each, questions),
    description: stand.has(each) ? "" : "undone",
    detail: labelled(each.paths.join(", ")),
  }));
  const options = { title: "Glossator: undo a turn", placeHolder: "Which turn's changes go?" };
  return (await window.showQuickPick(items, options))?.turn;
}

function labelOf(turn: Turn, questions: ReadonlyMap<string, string>): string {
  if (turn.undoes.length === 0) {
    return `$(discard) ${labelled(turn.question)}`;
  }
  const taken = turn.undoes.map((each) => questions.get(each) || "an undo").join(", ");
  return `$(redo) Undo of: ${labelled(taken)}`;
}

async function overwrites(conflicts: readonly UndoProblem[]): Promise<boolean> {
  const detail = `${problemLines(conflicts)}\n\nWhat was changed since is lost if you undo the turn all the same.`;
  const count = conflicts.length === 1 ? "A file was" : `${conflicts.length} files were`;
  const message = `${count} changed after this turn, so nothing was undone.`;
  const button = "Undo All the Same";
  return (await confirm(message, detail, button)) === button;
}

function tell({ message, bad }: Told): void {
  void (bad ? warn(message) : inform(message));
}
