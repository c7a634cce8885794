// Telling the user of a failure: one message, with a button where one helps.

import { CancellationError, commands, type LogOutputChannel } from "vscode";
import { fail, titled } from "../notices.ts";
import { messageOf, type Remedy, UserError } from "../result.ts";
import { ACTS } from "../wire.ts";

const CANCELLED = -32_800; // the LSP's RequestCancelled
const BUTTONS: Readonly<Record<Remedy, readonly [label: string, command: string, ...unknown[]]>> = {
  key: ["Set API Key", "glossator.setApiKey"],
  output: ["Show Output", "glossator.showOutput"],
  python: ["Open Setting", "glossator.openSettings", "glossator.python"],
  restart: ["Restart Server", "glossator.restartServer"],
  takeOver: [titled(ACTS.takeOver), "glossator.takeOver"],
};

/** Whether the user cancelled, here or at the server. */
export function isCancelled(error: unknown): boolean {
  return error instanceof CancellationError || (error as { code?: unknown }).code === CANCELLED;
}

/** Show what went wrong; what the user cancelled did not. */
export async function showFailure(error: unknown, log: LogOutputChannel): Promise<void> {
  if (isCancelled(error)) {
    return;
  }
  const message = messageOf(error);
  log.error(message);
  const remedy = error instanceof UserError ? error.remedy : remedyFor(message);
  const [label, command, ...given] = remedy ? BUTTONS[remedy] : [];
  const pressed = await fail(message, ...(label ? [label] : []));
  if (pressed && command) {
    await commands.executeCommand(command, ...given);
  }
}

/** The server tells failures in words alone. */
export function remedyFor(message: string): Remedy | undefined {
  if (/^The session is open in /.test(message)) {
    return "takeOver";
  }
  return /\bAPI key\b|ANTHROPIC_API_KEY|authentication/i.test(message) ? "key" : undefined;
}
