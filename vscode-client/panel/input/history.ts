// Earlier questions, recalled with the arrow keys.

import { draft, turns } from "../store.ts";

let back = 0; // how many questions back the input shows; 0: what is being written
let written = "";

/** Show the question before (1) or after (-1) the one that is shown; false if there is none. */
export function recallQuestion(by: 1 | -1): boolean {
  const questions = [...new Set(turns.value.map(({ question }) => question).filter(Boolean))];
  const next = back + by;
  if (next < 0 || next > questions.length) {
    return false;
  }
  if (back === 0) {
    written = draft.value;
  }
  back = next;
  draft.value = next === 0 ? written : (questions.at(-next) ?? "");
  return true;
}

/** Whether an earlier question is shown. */
export function isRecalling(): boolean {
  return back > 0;
}

/** What is in the input is the user's own again. */
export function forgetRecall(): void {
  back = 0;
}
