// All commands of the palette. They are there from the beginning; what needs the server waits for it.

import { commands, type Disposable } from "vscode";
import type { Inquiries } from "../ports/inquiries.ts";
import type { Offered } from "../wire.ts";
import { actions } from "./actions.ts";
import { asking } from "./asking.ts";
import { contexts } from "./contexts.ts";
import { showFailure } from "./failures.ts";
import { glosses } from "./glosses.ts";
import { memories } from "./memories.ts";
import { menu } from "./menu.ts";
import { models } from "./models.ts";
import type { Command, CommandTable, Parts } from "./parts.ts";
import { rules } from "./rules.ts";
import { sessions } from "./sessions.ts";
import { undo } from "./undo.ts";
import { upkeep } from "./upkeep.ts";

/** Register each; failures are shown here, once. The compiler finds offered commands without one. */
export function registerCommands(parts: Parts, inquiries: Inquiries): Disposable[] {
  const table: CommandTable & Readonly<Record<Offered, Command>> = {
    ...asking(parts),
    ...actions(parts),
    ...glosses(parts),
    ...sessions(parts),
    ...undo(parts),
    ...models(parts),
    ...upkeep(parts),
    ...contexts(parts),
    ...menu(parts),
    ...rules(parts),
    ...memories(parts),
    "glossator.showAsked": () => inquiries.show(),
  };
  return Object.entries(table).map(([name, command]) =>
    commands.registerCommand(name, async (...given: unknown[]) => {
      try {
        await command(...given);
      } catch (error) {
        void showFailure(error, parts.log);
      }
    }),
  );
}
