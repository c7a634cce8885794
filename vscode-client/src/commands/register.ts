// All commands of the palette. They are there from the beginning; what needs the server waits for it.

import { commands, type Disposable, type LogOutputChannel } from "vscode";
import type { Inquiries } from "../ports/inquiries.ts";
import type { Surfaces } from "../surfaces.ts";
import type { Offered } from "../wire.ts";
import { actions, here } from "./actions.ts";
import { asking } from "./asking.ts";
import { changes } from "./changes.ts";
import type { Command, CommandTable } from "./command.ts";
import { contexts } from "./contexts.ts";
import { facts } from "./facts.ts";
import { showFailure } from "./failures.ts";
import { glosses } from "./glosses.ts";
import { inline } from "./inline.ts";
import { localServers } from "./local-servers.ts";
import { memories } from "./memories.ts";
import { menu } from "./menu.ts";
import { models } from "./models.ts";
import { places } from "./places.ts";
import { plans } from "./plans.ts";
import { proposals } from "./proposals.ts";
import { rules } from "./rules.ts";
import { sessions } from "./sessions.ts";
import { sources } from "./sources.ts";
import { undo } from "./undo.ts";
import { upkeep } from "./upkeep.ts";
import type { Workbench } from "./workbench.ts";

/** Those about one chat. The compiler finds offered commands without one. */
export function commandTable(bench: Workbench, inquiries: Inquiries): CommandTable {
  const table: CommandTable & Readonly<Record<Offered, Command>> = {
    ...asking(bench),
    ...actions(bench),
    ...inline(bench),
    ...here(bench),
    ...glosses(bench),
    ...sessions(bench),
    ...undo(bench),
    ...models(bench),
    ...localServers(bench),
    ...upkeep(bench),
    ...contexts(bench),
    ...menu(bench),
    ...rules(bench),
    ...memories(bench),
    ...facts(bench),
    ...sources(bench, inquiries),
    ...proposals(bench),
    ...plans(bench),
    ...places(bench),
    ...changes(bench),
    "glossator.showAsked": () => inquiries.show(),
    "glossator.listJobs": () => bench.jobs.choose(),
  };
  return table;
}

/** Register each, about the chat used last; failures are shown here, once. */
export function registerCommands(surfaces: Surfaces, log: LogOutputChannel): Disposable[] {
  return Object.keys(surfaces.current.commands).map((name) =>
    commands.registerCommand(name, async (...given: unknown[]) => {
      try {
        await surfaces.current.commands[name]?.(...given);
      } catch (error) {
        void showFailure(error, log);
      }
    }),
  );
}
