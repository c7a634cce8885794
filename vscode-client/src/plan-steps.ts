// Which lines of a plan its steps are. Nothing here knows of VS Code.

import type { TaskState } from "./wire.ts";

/** A step, or a task, as the run reports it. */
export interface Step {
  readonly text: string;
  readonly state: TaskState;
}

const MARKER = /^ ?(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const AFTER = /\s*\(after [^()]*\)\s*$/i; // what a task builds on
const PLACE = /\s*(?:\[cite:[^\]]*\]|\(`?[^\s`()]+:\d+(?:-\d+)?`?\))/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const CUT = 200; // characters of a step that is cut
const SHORTEST = 20; // characters of a line that goes on below

/** The states of the steps, by the line that each is (0-based); a step whose line is gone has none. */
export function stepLines(text: string, steps: readonly Step[]): ReadonlyMap<number, TaskState> {
  const lines = text.split("\n").map(wordsOf);
  const found = new Map<number, TaskState>();
  const left: Step[] = [];
  for (const step of steps) {
    const words = plain(step.text);
    const at = lines.findIndex((line, at) => line === words && line !== "" && !found.has(at));
    if (at >= 0) {
      found.set(at, step.state);
    } else {
      left.push(step);
    }
  }
  for (const { text: step, state } of left) {
    const at = lines.findIndex((line, at) => !found.has(at) && isPart(line, plain(step)));
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
    .replace(PLACE, "")
    .replace(LINK, "$1")
    .replace(AFTER, "")
    .replace(/[`*_]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** A long step is cut, and a line may go on below it. */
function isPart(line: string, step: string): boolean {
  const isCut = step.length >= CUT / 2 && line.startsWith(step);
  return isCut || (line.length >= SHORTEST && step.startsWith(line));
}
