// Answering an edit that waits, in its diff.

import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

/** The commands: a button gives the document that it is at, a code lens the part, too. */
export function proposals({ proposals: edits }: Workbench) {
  return {
    "glossator.acceptEdit": async (uri) => edits.settle(uri, true),
    "glossator.rejectEdit": async (uri) => edits.settle(uri, false),
    "glossator.acceptPart": async (uri, id) => edits.settlePart(uri, id, true),
    "glossator.rejectPart": async (uri, id) => edits.settlePart(uri, id, false),
  } satisfies CommandTable;
}
