// Putting code from an answer where the cursor is.

import { window } from "vscode";
import { UserError } from "../result.ts";

/** Instead of what is selected in the editor used last. Throws `UserError` without an editor. */
export async function insertAtCursor(text: string): Promise<void> {
  const editor = window.activeTextEditor ?? window.visibleTextEditors[0];
  if (!editor) {
    throw new UserError("No file is open to insert this into. Open one and try again.");
  }
  await editor.edit((builder) => {
    for (const selection of editor.selections) {
      builder.replace(selection, text);
    }
  });
  await window.showTextDocument(editor.document, editor.viewColumn);
}
