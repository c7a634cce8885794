// What tests inside the extension host have at hand.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Glossator } from "../../src/glossator.ts";

export const READY_MILLISECONDS = 180_000; // a deadline for what hangs, on the slowest machine

/** Tests by what they show. */
export type Tests = Readonly<Record<string, () => Promise<void>>>;

/** Ours. */
export function extension(): vscode.Extension<Glossator> {
  const found = vscode.extensions.getExtension<Glossator>("glossator.glossator");
  assert.ok(found, "the extension is installed");
  return found;
}

/** The extension at work, once its server can be asked. */
export async function ready(): Promise<Glossator> {
  const glossator = await extension().activate();
  await until(async () => (glossator.server.state.phase === "ready" ? [true] : []));
  return glossator;
}

/** An editor with the demonstration. */
export async function demo(): Promise<vscode.TextEditor> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder);
  return await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "demo.py"));
}

/** What `look` gives, once it gives something. */
export async function until<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  const end = Date.now() + READY_MILLISECONDS;
  for (;;) {
    const found = await look();
    if (found.length > 0) {
      return found;
    }
    assert.ok(Date.now() < end, "it took too long");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
