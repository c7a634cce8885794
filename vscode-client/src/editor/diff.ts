// An edit as VS Code's own diff: what the document holds now, unsaved text included, and what it
// would hold.

import { basename } from "node:path";
import { commands, Uri, workspace } from "vscode";
import { inform } from "../notices.ts";
import { shown } from "../shown.ts";
import type { ChangedFile, EditPlan, Hunk } from "../wire.ts";
import { besideChat } from "./columns.ts";
import { sidesOf } from "./sides.ts";
import { keepSides, keepText } from "./texts.ts";

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
    await commands.executeCommand("vscode.diff", before, after, label, {
      preview: true,
      viewColumn: besideChat(),
    });
  } else {
    await commands.executeCommand("vscode.changes", label, diffs);
  }
}

/** Show what a turn changed in a file: its text before, and the file itself, which can be edited. */
export async function openChanges(file: ChangedFile, before: string): Promise<void> {
  const name = basename(file.path);
  const now = file.change === "deleted" ? keepText(name, "") : Uri.parse(file.uri);
  const title = `${shown(file.path)} (before this turn ↔ now)`;
  await commands.executeCommand("vscode.diff", keepText(name, before), now, title, {
    preview: true,
    viewColumn: besideChat(),
  });
}

async function diffOf(path: string, hunks: readonly Hunk[]): Promise<[Uri, Uri, Uri]> {
  const uri = Uri.file(path);
  const { before, after } = sidesOf(hunks, await textNow(uri));
  return [uri, ...keepSides(basename(path), before, after)];
}

/** What the document holds now, unsaved text included; undefined if there is none. */
export async function textNow(uri: Uri): Promise<string | undefined> {
  try {
    return (await workspace.openTextDocument(uri)).getText();
  } catch {
    return undefined; // it does not exist, yet or any more
  }
}
