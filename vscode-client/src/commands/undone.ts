// What an undo did, in words; nothing here knows of VS Code.

import { BECAME, type UndoAnswer, type UndoProblem } from "../wire.ts";

/** A sentence or more, and whether the user should look at something. */
export interface Told {
  readonly message: string;
  readonly bad: boolean;
}

/** What was brought back, what was taken away, and what was not. */
export function undone(answer: UndoAnswer): Told {
  const { restored, removed, conflicts, failed, incomplete, jobs, unsaved } = answer;
  const problems = [...conflicts, ...failed];
  const unknown = incomplete || jobs.length > 0;
  const done = [
    ...(restored.length > 0 ? [`${said(BECAME.restored)}: ${restored.join(", ")}.`] : []),
    ...(removed.length > 0 ? [`${said(BECAME.removed)}: ${removed.join(", ")}.`] : []),
  ];
  const sentences = [
    ...(done.length > 0 ? done : ["Nothing changed."]),
    ...(problems.length > 0 ? [`Not ${BECAME.restored}: ${problemLines(problems)}.`] : []),
    ...(unsaved.length > 0
      ? [`Not saved in the editor: ${unsaved.join(", ")}. Save what you want to keep.`]
      : []),
    ...(unknown ? ["A command was not over when the turn was; look at what it changed."] : []),
  ];
  return { message: sentences.join(" "), bad: problems.length > 0 || unknown };
}

/** At the beginning of a sentence. */
function said(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** One line each. */
export function problemLines(problems: readonly UndoProblem[]): string {
  return problems.map(({ path, reason }) => `${path}: it ${reason}`).join("\n");
}
