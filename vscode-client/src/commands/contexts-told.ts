// What became of generated contexts, in words; nothing here knows of VS Code.

import type { ContextsAnswer } from "../wire.ts";
import type { Told } from "./undone.ts";

/** After the user cancelled. */
export const CANCELLED =
  "Generating contexts was cancelled. The contexts that were made are kept, and running the command again goes on from there. Batches that were sent go on: End Batches of Contexts ends them.";

/** There is nothing to write to a file. */
export const NONE_TO_EXPORT =
  "There are no contexts to export yet. Make them with Generate Contexts for Search, or import a colleague's.";

/** What was made, what it cost, and what went wrong. */
export function made({ made: count, failed, problems, stopped, cost }: ContextsAnswer): Told {
  const done = [
    `${contexts(count)} made.`,
    ...(failed > 0 ? [`${failed.toLocaleString()} could not be made.`] : []),
    ...(cost ? [`Cost: ${cost}`] : []),
    stopped,
    ...problems,
  ];
  return { message: done.filter(Boolean).join(" "), bad: failed > 0 || stopped !== "" };
}

/** What was written to a file. */
export function exported(count: number, file: string): string {
  return `${contexts(count)} written to ${file}.`;
}

/** What a file held. */
export function imported(count: number): string {
  return count > 0
    ? `${contexts(count)} taken in.`
    : "No context was taken in: the file holds none that is missing here.";
}

/** Which batches were ended. */
export function ended(count: number): string {
  if (count === 0) {
    return "No batch of contexts is under way.";
  }
  const batches = count === 1 ? "1 batch" : `${count.toLocaleString()} batches`;
  return `The provider was asked to end ${batches}. What is answered already is billed, and the next Generate Contexts for Search takes it in.`;
}

function contexts(count: number): string {
  return count === 1 ? "1 context was" : `${count.toLocaleString()} contexts were`;
}
