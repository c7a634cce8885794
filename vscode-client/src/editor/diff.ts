// An edit as VS Code's own diff: what the document holds now, unsaved text included, and what it
// would hold.

import { basename } from "node:path";
import { commands, Uri, workspace } from "vscode";
import { inform } from "../notices.ts";
import { shown } from "../shown.ts";
import type { EditPlan, Hunk } from "../wire.ts";
import { sidesOf } from "./sides.ts";
import { keepText } from "./texts.ts";

/** Show a plan: one file as a diff, several as one document of diffs. */
export async function openDiff(plan: EditPlan): Promise<void> {
  const files = Map.groupBy(
    plan.hunks.filter((hunk) => hunk.kind !== "rename"),
    (hunk) => hunk.path,
  );
  const diffs = await Promise.all([...files].map(([path, hunks]) => diffOf(path, hunks)));
  const [only, ...others] = diffs;
  const label = shown(plan.label);
  if (!only) {
    void inform(`${label}: nothing but names changes.`);
  } else if (others.length === 0) {
    const [, before, after] = only;
    await commands.executeCommand("vscode.diff", before, after, label, { preview: true });
  } else {
    await commands.executeCommand("vscode.changes", label, diffs);
  }
}

async function diffOf(path: string, hunks: readonly Hunk[]): Promise<[Uri, Uri, Uri]> {
  const uri = Uri.file(path);
  const { before, after } = sidesOf(hunks, await textNow(uri));
  const name = basename(path);
  return [uri, keepText(name, before), keepText(name, after)];
}

async function textNow(uri: Uri): Promise<string | undefined> {
  try {
    return (await workspace.openTextDocument(uri)).getText();
  } catch {
    return undefined; // it does not exist, yet or any more
  }
}
