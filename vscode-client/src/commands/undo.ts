// Taking back what a turn changed, and bringing it back; what somebody changed since is asked about.

import { commands, window } from "vscode";
import type { ChangingTurn } from "../editor/changing-turns.ts";
import { confirm, inform, warn } from "../notices.ts";
import { UserError } from "../result.ts";
import type { Server } from "../server/server.ts";
import { labelled } from "../shown.ts";
import { ACTS, BECAME, type Turn, type UndoProblem } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { currentSession } from "./sessions.ts";
import { LAST } from "./slash.ts";
import { problemLines, undone } from "./undone.ts";
import type { Workbench } from "./workbench.ts";

const UNDO = `${ACTS.undo} the Changes`;
const KEEP = `${ACTS.keep} Them`;
const REDO = ACTS.redo;

/** Taking changes back, and taking that back. */
type Way = "glossator.undoTurn" | "glossator.redoTurn";

const CHOOSING = {
  "glossator.undoTurn": {
    title: "Glossator: undo a turn",
    placeHolder: "Which turn's changes go?",
    none: "No turn of this session has changed files, so there is nothing to undo.",
    verb: "undo",
    since: "this turn",
    button: `${ACTS.undo} All the Same`,
  },
  "glossator.redoTurn": {
    title: "Glossator: redo a turn",
    placeHolder: "Which turn's changes come back?",
    none: "No turn of this session is undone, so there is nothing to redo.",
    verb: "redo",
    since: "the undo",
    button: `${ACTS.redo} All the Same`,
  },
} as const;

/** A turn, or the last one that can be; with `since` all from it on, with `paths` some of its files. */
interface What {
  readonly turn?: string;
  readonly since?: boolean;
  readonly paths?: readonly string[];
}

/** The commands; each may be given a turn, or `LAST`. */
export function undo(bench: Workbench) {
  return {
    "glossator.undoTurn": (given, paths) => take(bench, "glossator.undoTurn", given, paths),
    "glossator.redoTurn": (given) => take(bench, "glossator.redoTurn", given),
  } satisfies CommandTable;
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
  const changed = turns.filter(({ turn, undoneBy }) => undoneBy === null && runs.includes(turn));
  const [first] = changed;
  if (!first) {
    return true;
  }
  const detail = [...new Set(changed.flatMap(({ paths }) => paths))].join("\n");
  const question =
    "Undo what the old answer changed in your files before the question is asked again?";
  const pressed = await confirm(question, detail, UNDO, KEEP);
  if (pressed === UNDO) {
    const since = { turn: first.turn, since: true };
    await carryOut(server, "glossator.undoTurn", sessionId, since);
  }
  return pressed !== undefined;
}

/** Take back what turns changed in a file, one after the other. */
export async function undoTurns(server: Server, turns: readonly ChangingTurn[]): Promise<void> {
  for (const { sessionId, turn, path } of turns) {
    await carryOut(server, "glossator.undoTurn", sessionId, { turn, paths: [path] });
  }
}

async function take(
  { chat, server }: Workbench,
  way: Way,
  given: unknown,
  paths?: unknown,
): Promise<void> {
  const sessionId = currentSession({ chat });
  if (given === LAST) {
    await carryOut(server, way, sessionId, {});
    return;
  }
  const turn = typeof given === "string" ? given : (await choose(server, way, sessionId))?.turn;
  if (turn) {
    await carryOut(server, way, sessionId, Array.isArray(paths) ? { turn, paths } : { turn });
  }
}

async function carryOut(server: Server, way: Way, sessionId: string, what: What): Promise<void> {
  const request = { sessionId, ...what };
  let answer = await server.run(way, request);
  if (answer.turn === null && answer.conflicts.length > 0) {
    if (!(await overwrites(way, answer.conflicts))) {
      return;
    }
    answer = await server.run(way, { ...request, overwrite: true });
  }
  const { message, bad } = undone(answer);
  const canRedo = way === "glossator.undoTurn" && answer.turn !== null && !what.since;
  const told = (bad ? warn : inform)(message, ...(canRedo ? [REDO] : []));
  void told.then(async (pressed) => {
    if (pressed === REDO) {
      const undo = what.paths && answer.turn; // of some files: it is a turn that is undone itself
      await (undo
        ? commands.executeCommand("glossator.undoTurn", undo)
        : commands.executeCommand("glossator.redoTurn", what.turn ?? LAST));
    }
  });
}

async function choose(server: Server, way: Way, sessionId: string): Promise<Turn | undefined> {
  const { turns } = await server.run("glossator.listTurns", { sessionId });
  const { none, title, placeHolder } = CHOOSING[way];
  const able = turns.filter(({ undoneBy }) => way === "glossator.undoTurn" || undoneBy !== null);
  if (able.length === 0) {
    throw new UserError(none);
  }
  const questions = new Map(turns.map((each) => [each.turn, each.question]));
  const items = able.toReversed().map((each) => ({
    turn: each,
    label: labelOf(each, questions),
    description: each.undoneBy === null ? "" : BECAME.undone,
    detail: labelled(each.paths.join(", ")),
  }));
  return (await window.showQuickPick(items, { title, placeHolder }))?.turn;
}

function labelOf(turn: Turn, questions: ReadonlyMap<string, string>): string {
  if (turn.undoes.length === 0) {
    return `$(discard) ${labelled(turn.question)}`;
  }
  const taken = turn.undoes.map((each) => questions.get(each) || "an undo").join(", ");
  return `$(redo) ${ACTS.undo} of: ${labelled(taken)}`;
}

async function overwrites(way: Way, conflicts: readonly UndoProblem[]): Promise<boolean> {
  const { verb, since, button } = CHOOSING[way];
  const detail = `${problemLines(conflicts)}\n\nWhat was changed since is lost if you ${verb} it all the same.`;
  const count = conflicts.length === 1 ? "A file was" : `${conflicts.length} files were`;
  const message = `${count} changed after ${since}, so nothing was done.`;
  return (await confirm(message, detail, button)) === button;
}
