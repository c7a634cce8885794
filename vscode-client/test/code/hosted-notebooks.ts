// Edits of a notebook that is open in VS Code's notebook editor.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Notebooks } from "../../src/editor/notebooks.ts";
import { type Tests, until } from "./hosted.ts";

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
  async "an edit is made in the cells, beside what is typed in others, and saved as the file was"() {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const uri = vscode.Uri.joinPath(folder.uri, "cells.ipynb");
    await vscode.workspace.fs.writeFile(uri, Buffer.from(written("a = 1", "b = 2")));
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    await vscode.window.showNotebookDocument(notebook);
    const sources = () => notebook.getCells().map((cell) => cell.document.getText());
    const onDisk = async () => Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();

    /** What the server has of it. */
    const told = { text: "", version: 0 };
    const notebooks = new Notebooks((_, params) => {
      const { textDocument, contentChanges } = params as {
        textDocument: { version?: number; text?: string };
        contentChanges?: readonly [{ text: string }];
      };
      told.version = textDocument.version ?? told.version;
      told.text = contentChanges?.[0].text ?? textDocument.text ?? told.text;
    });
    const has = async (text: string) => {
      await until(async () => (told.text === text ? [true] : []));
    };
    /** As the server has it made. */
    const edit = async (before: string, after: string, version = told.version) => {
      const lines = told.text.slice(0, told.text.indexOf(before)).split("\n");
      const start = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
      const breaks = before.split("\n");
      const end = {
        line: start.line + breaks.length - 1,
        character: (breaks.length > 1 ? 0 : start.character) + (breaks.at(-1)?.length ?? 0),
      };
      const textDocument = { uri: uri.toString(), version };
      const edits = [{ range: { start, end }, newText: after }];
      return await notebooks.apply({ documentChanges: [{ textDocument, edits }] });
    };

    await has(written("a = 1", "b = 2"));
    assert.deepEqual(await edit("a = 1", "a = 10"), { applied: true });
    assert.deepEqual(sources(), ["a = 10", "b = 2"]);
    assert.equal(told.text, written("a = 10", "b = 2"));
    assert.equal(await notebooks.save(uri.toString(), told.version), true);
    assert.equal(await onDisk(), written("a = 10", "b = 2"));

    const typing = new vscode.WorkspaceEdit();
    const [, other] = notebook.getCells();
    assert.ok(other);
    typing.insert(other.document.uri, new vscode.Position(0, 5), "2");
    const old = told.version;
    assert.ok(await vscode.workspace.applyEdit(typing));
    await has(written("a = 10", "b = 22"));
    assert.equal((await edit("a = 10", "a = 1", old))?.applied, false); // it is to look again
    assert.deepEqual(await edit("a = 10", "a = 1"), { applied: true });
    assert.deepEqual(sources(), ["a = 1", "b = 22"]);
    assert.equal(await onDisk(), written("a = 10", "b = 2"));

    const whole = told.text;
    const list = whole.slice(whole.indexOf('"cells"'), whole.indexOf('"metadata": {\n  "language'));
    const fewer = written("b = 22").replace("cell-0", "cell-1");
    const left = fewer.slice(fewer.indexOf('"cells"'), fewer.indexOf('"metadata": {\n  "language'));
    assert.deepEqual(await edit(list, left), { applied: true });
    assert.deepEqual(sources(), ["b = 22"]);
    assert.deepEqual(await edit(left, list), { applied: true }); // such as an undo
    assert.deepEqual(sources(), ["a = 1", "b = 22"]);
    assert.equal(told.text, whole);
    assert.equal(await notebooks.save(uri.toString(), told.version), true);
    assert.equal(await onDisk(), written("a = 1", "b = 22"));

    const printed = `"outputs": [{"name": "stdout", "output_type": "stream", "text": ["1\\n"]}]`;
    assert.deepEqual(await edit('"outputs": []', printed), { applied: true });
    assert.equal(notebook.cellAt(0).outputs.length, 1);
    assert.deepEqual(await edit(printed, '"outputs": []'), { applied: true });
    assert.equal(notebook.cellAt(0).outputs.length, 0);
    assert.deepEqual(await edit('"metadata": {}', '"metadata": {"tags": ["x"]}'), {
      applied: true,
    });
    assert.deepEqual(notebook.cellAt(0).metadata["metadata"], { tags: ["x"] });
    assert.deepEqual(await edit('"name": "python"', '"name": "julia"'), { applied: true });
    assert.deepEqual(notebook.metadata["metadata"], { language_info: { name: "julia" } });
    assert.deepEqual(await edit('"b = 22"', '"a = 1"'), { applied: true });
    const alike = told.text;
    const [one, other2] = [
      alike.indexOf('  {\n   "cell_type"'),
      alike.lastIndexOf('  {\n   "cell_type"'),
    ];
    assert.deepEqual(await edit(alike.slice(one, other2), ""), { applied: true }); // the first of two with one source
    assert.deepEqual(
      notebook.getCells().map(({ metadata }) => metadata["id"]),
      ["cell-1"],
    );
    assert.equal((await edit('"cells"', '"cell"'))?.applied, false);
    notebooks.dispose();
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await vscode.workspace.fs.delete(uri);
  },
};
