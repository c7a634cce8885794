// Which lines of a plan its steps are. Nothing here knows of VS Code.

import type { TaskState } from "./wire.ts";

/** A step, or a task, as the run reports it. */
export interface Step {
  readonly text: string;
  readonly state: TaskState;
}

const MARKER = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const AFTER = /\s*\((?:after|builds on) [^()]*\)\s*$/i; // what a task builds on
const CITED = /\s*(?:\[cite:[^\]]*\]|\(`[^`]*:\d+(?:-\d+)?`\))/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const SHORTEST = 20; // characters of a line that stands for a longer step

/** The states of the steps, by the line that each is (0-based); a step whose line is gone has none. */
export function stepLines(text: string, steps: readonly Step[]): ReadonlyMap<number, TaskState> {
  const lines = text.split("\n").map(wordsOf);
  const found = new Map<number, TaskState>();
  for (const { text: step, state } of steps) {
    const words = plain(step);
    const at = lines.findIndex((line, at) => !found.has(at) && isSame(line, words));
    if (at >= 0) {
      found.set(at, state);
    }
  }
  return found;
}

/** What a line says as an item of a list; "" if it is none. */
function wordsOf(line: string): string {
  return MARKER.test(line) ? plain(line.replace(MARKER, "")) : "";
}

function plain(text: string): string {
  return text
    .replace(CITED, "")
    .replace(LINK, "$1")
    .replace(AFTER, "")
    .replace(/[`*_]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** A step may be cut, and a line may go on below it. */
function isSame(line: string, step: string): boolean {
  return (
    line !== "" &&
    step !== "" &&
    (line === step || line.startsWith(step) || (line.length >= SHORTEST && step.startsWith(line)))
  );
}
