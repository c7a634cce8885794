// Putting code from an answer where the cursor is.

import { basename } from "node:path";
import { type TextEditor, window } from "vscode";
import { UserError } from "../result.ts";
import { isText } from "./chips.ts";

/** The editor used last that shows a file: the output and the like are editors, too. */
export function fileEditor(): TextEditor | undefined {
  const shown = [window.activeTextEditor, ...window.visibleTextEditors];
  return shown.find((editor) => editor !== undefined && isText(editor.document.uri));
}

/** Replaces the selection of the editor used last. Throws `UserError` without an editor. */
export async function insertAtCursor(text: string): Promise<void> {
  const editor = fileEditor();
  if (!editor) {
    throw new UserError("No file is open to insert this into. Open one and try again.");
  }
  const done = await editor.edit((builder) => {
    for (const selection of editor.selections) {
      builder.replace(selection, text);
    }
  });
  if (!done) {
    const name = basename(editor.document.uri.path);
    throw new UserError(`${name} cannot be written to. Open another file and try again.`);
  }
  await window.showTextDocument(editor.document, editor.viewColumn);
}
