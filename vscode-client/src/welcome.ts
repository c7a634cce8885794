// The walkthrough, which opens by itself when the extension runs for the first time.

import { commands, type ExtensionContext, workspace } from "vscode";

const SHOWN = "glossator.welcomed";
const WALKTHROUGH = "start"; // its id in the manifest

/** Open it once on this machine, but not for those who want nothing opened at a start. */
export async function welcome({ globalState, extension }: ExtensionContext): Promise<void> {
  const startup = workspace.getConfiguration("workbench").get<string>("startupEditor");
  if (globalState.get<boolean>(SHOWN) === true || startup === "none") {
    return;
  }
  await globalState.update(SHOWN, true);
  const id = `${extension.id}#${WALKTHROUGH}`;
  await commands.executeCommand("workbench.action.openWalkthrough", id, false);
}
