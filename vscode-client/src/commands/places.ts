// Where the chat is: in a side bar, or in editor tabs.

import { commands } from "vscode";
import { VIEW } from "../panel/view.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

const MOVE_VIEWS = "vscode.moveViews"; // of VS Code; it takes ids of views, and of a container
const CONTAINERS = "workbench.view.extension";

/** The commands. */
export function places({ surfaces }: Workbench) {
  return {
    "glossator.openInEditor": () => surfaces.moveToTab(),
    "glossator.newInEditor": async () => {
      await surfaces.openTab();
    },
    "glossator.moveToSecondarySideBar": () => moveView("glossatorSecondary"),
    "glossator.moveToPrimarySideBar": async () => {
      await moveView("glossator");
      // it goes on showing the container that is empty now, and nothing says so to an extension
      await commands.executeCommand("workbench.action.closeAuxiliaryBar");
    },
  } satisfies CommandTable;
}

/** To a container of the manifest; there it stays until it is moved again. */
async function moveView(container: string): Promise<void> {
  const destinationId = `${CONTAINERS}.${container}`;
  await commands.executeCommand(MOVE_VIEWS, { viewIds: [VIEW], destinationId });
  await commands.executeCommand(`${VIEW}.focus`);
}
