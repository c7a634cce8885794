// Where VS Code begins and ends the extension.

import type { ExtensionContext } from "vscode";
import { Glossator } from "./glossator.ts";
import { welcome } from "./welcome.ts";

let running: Glossator | undefined;

/** Begin; the server is started in the background. */
export function activate(context: ExtensionContext): Glossator {
  running = new Glossator(context);
  context.subscriptions.push(running);
  void running.start();
  void welcome(context);
  return running;
}

/** End, and wait for the server's end. */
export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}
