// Keeping and undoing what runs have changed, in the editor and all at once.

import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

/** The commands: a button gives the document that it is at, a code lens the part, too. */
export function changes({ changes: all }: Workbench) {
  return {
    "glossator.keepChange": async (uri, part) => all.keep(uri, part),
    "glossator.undoChange": (uri, part) => all.undo(uri, part),
    "glossator.keepFile": async (uri) => all.keepFile(uri),
    "glossator.undoFile": (uri) => all.undoFile(uri),
    "glossator.keepAll": async () => all.keepAll(),
    "glossator.nextChange": () => all.go(true),
    "glossator.previousChange": () => all.go(false),
  } satisfies CommandTable;
}
