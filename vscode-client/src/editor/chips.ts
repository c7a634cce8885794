// What a question can be about, as chips: the selection, files that were dropped.

import { basename } from "node:path";
import { FileType, type TextEditor, Uri, workspace } from "vscode";
import type { Chip } from "../panel/messages.ts";

interface Place {
  readonly uri: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The selected lines; null if nothing is selected, or not in a file. */
export function selectionChip(editor: TextEditor | undefined): Chip | null {
  if (!editor || editor.selection.isEmpty || !isText(editor.document.uri)) {
    return null;
  }
  return linesChip({ uri: editor.document.uri.toString(), ...selectedLines(editor) });
}

/** Lines of a document, 1-based and inclusive. */
export function linesChip({ uri, firstLine, lastLine }: Place): Chip {
  const lines = firstLine === lastLine ? `${firstLine}` : `${firstLine}-${lastLine}`;
  const label = `${basename(Uri.parse(uri).path)}:${lines}`;
  return { label, attachment: { uri, firstLine, lastLine } };
}

/** The lines of the selection, 1-based and inclusive; where it only ends is not selected. */
export function selectedLines({ selection }: TextEditor): { firstLine: number; lastLine: number } {
  const { start, end } = selection;
  const endsBefore = end.character === 0 && end.line > start.line;
  return { firstLine: start.line + 1, lastLine: endsBefore ? end.line : end.line + 1 };
}

/** Chips for those of the URIs that are files. */
export async function fileChips(uris: readonly string[]): Promise<Chip[]> {
  const chips = await Promise.all(uris.map((uri) => fileChip(Uri.parse(uri))));
  return chips.filter((chip) => chip !== null);
}

async function fileChip(uri: Uri): Promise<Chip | null> {
  try {
    const { type } = await workspace.fs.stat(uri);
    const isFile = (type & FileType.File) !== 0;
    const label = workspace.asRelativePath(uri);
    return isFile ? { label, attachment: { uri: uri.toString() } } : null;
  } catch {
    return null; // something else was dropped
  }
}

function isText({ scheme }: Uri): boolean {
  return scheme === "file" || scheme === "untitled";
}
