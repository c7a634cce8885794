// What a question can be about, as chips: the selection, files that were dropped.

import { basename } from "node:path";
import { FileType, type TextEditor, Uri, workspace } from "vscode";
import type { Lines } from "../lines.ts";
import { linesOf } from "../panel/attached.ts";
import type { Chip } from "../panel/messages.ts";

/** The selected lines; null if nothing is selected, or not in a file. */
export function selectionChip(editor: TextEditor | undefined): Chip | null {
  if (!editor || editor.selection.isEmpty || !isText(editor.document.uri)) {
    return null;
  }
  return linesChip({ uri: editor.document.uri.toString(), ...selectedLines(editor) });
}

/** Lines of a file, 1-based and inclusive. */
export function linesChip({ uri, firstLine, lastLine }: Lines): Chip {
  const label = `${basename(Uri.parse(uri).path)}${linesOf(firstLine, lastLine)}`;
  return { label, attachment: { uri, firstLine, lastLine } };
}

/** The lines of the selection, 1-based and inclusive; where it only ends is not selected. */
export function selectedLines({ selection }: TextEditor): { firstLine: number; lastLine: number } {
  const { start, end } = selection;
  const endsBefore = end.character === 0 && end.line > start.line;
  return { firstLine: start.line + 1, lastLine: endsBefore ? end.line : end.line + 1 };
}

/** Chips for those of the URIs that are files or folders. */
export async function fileChips(uris: readonly string[]): Promise<Chip[]> {
  const chips = await Promise.all(uris.map((uri) => fileChip(asSeenHere(Uri.parse(uri)))));
  return chips.filter((chip) => chip !== null);
}

/** A window calls the files of a remote machine otherwise than we do, who run there. */
function asSeenHere(uri: Uri): Uri {
  return uri.scheme === "vscode-remote" ? Uri.file(uri.path) : uri;
}

async function fileChip(uri: Uri): Promise<Chip | null> {
  try {
    const { type } = await workspace.fs.stat(uri);
    const label = workspace.asRelativePath(uri);
    if ((type & FileType.Directory) !== 0) {
      return { label: `${label}/`, attachment: { uri: `${uri}/` } };
    }
    return (type & FileType.File) !== 0 ? { label, attachment: { uri: uri.toString() } } : null;
  } catch {
    return null; // something else was dropped
  }
}

/** Whether it is a document of the user's. */
export function isText({ scheme }: Uri): boolean {
  return scheme === "file" || scheme === "untitled";
}
