// Edits of a notebook that is open in VS Code's notebook editor.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { save } from "../../src/ports/saves.ts";
import { unsavedNotebook } from "../../src/server/connection.ts";
import { type Tests, until } from "./hosted.ts";

const never = new vscode.CancellationTokenSource().token;

/** A notebook as Jupyter writes it; its cells have these sources. */
function written(...sources: readonly string[]): string {
  const cells = sources.map((source, at) => {
    const id = `cell-${at}`;
    const empty = { execution_count: null, id, metadata: {}, outputs: [] };
    return { cell_type: "code", ...empty, source: [source] };
  });
  const metadata = { language_info: { name: "python" } };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

/** What these tests are about. */
export const notebookTests: Tests = {
  async "an edit reaches the cells and the disk, and none is made over what is typed in a cell"() {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const uri = vscode.Uri.joinPath(folder.uri, "cells.ipynb");
    await vscode.workspace.fs.writeFile(uri, Buffer.from(written("a = 1", "b = 2")));
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    await vscode.window.showNotebookDocument(notebook);
    const sources = () => notebook.getCells().map((cell) => cell.document.getText());
    const onDisk = async () => Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();

    /** As the server has it made: asked whether it may be, applied to the file, and saved. */
    const edit = async (before: string, after: string) => {
      const document = await vscode.workspace.openTextDocument(uri);
      await until(async () => (document.getText() === (await onDisk()) ? [true] : []));
      const at = document.getText().indexOf(before);
      const range = new vscode.Range(
        document.positionAt(at),
        document.positionAt(at + before.length),
      );
      const textDocument = { uri: uri.toString(), version: null };
      const refused = unsavedNotebook({
        documentChanges: [{ textDocument, edits: [{ range, newText: after }] }],
      });
      if (refused) {
        return refused;
      }
      const changes = new vscode.WorkspaceEdit();
      changes.replace(uri, range, after);
      assert.ok(await vscode.workspace.applyEdit(changes));
      await save({ documents: [{ uri: uri.toString(), version: document.version }] }, never);
      await until(async () => (sources()[0] === after ? [true] : []));
      assert.equal(notebook.isDirty, false);
      return undefined;
    };

    assert.equal(await edit("a = 1", "a = 10"), undefined);
    assert.equal(await onDisk(), written("a = 10", "b = 2"));
    const typing = new vscode.WorkspaceEdit();
    const [, other] = notebook.getCells();
    assert.ok(other);
    typing.insert(other.document.uri, new vscode.Position(0, 5), "2");
    assert.ok(await vscode.workspace.applyEdit(typing));
    await until(async () => (notebook.isDirty ? [true] : []));
    const refused = await edit("a = 10", "a = 1"); // such as an undo
    assert.equal(refused?.applied, false);
    assert.match(refused?.failureReason ?? "", /cells\.ipynb has unsaved changes in its notebook/);
    assert.deepEqual(sources(), ["a = 10", "b = 22"]);
    assert.equal(await onDisk(), written("a = 10", "b = 2"));
    assert.ok(await notebook.save());
    assert.equal(await edit("a = 10", "a = 1"), undefined);
    assert.equal(await onDisk(), written("a = 1", "b = 22"));
    await vscode.workspace.fs.delete(uri);
  },
};
