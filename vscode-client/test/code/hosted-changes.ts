// What runs have changed, marked in editors until it is kept or undone.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Changes } from "../../src/editor/changes.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";
import { lensesOf } from "./hosted-diffs.ts";

/** Changes of a document that were kept from an earlier window: it was `before`. */
async function changesSince(
  document: vscode.TextDocument,
  before: string,
  ...others: readonly vscode.Uri[]
): Promise<Changes> {
  const { server } = await ready();
  const kept = [...others, document.uri].map((uri) => {
    return { uri: uri.toString(), before, turns: [], isNew: false, isWhole: false };
  });
  const memento = { get: () => kept as never, keys: () => [], update: async () => undefined };
  return new Changes(
    server,
    memento,
    async () => undefined,
    () => true,
    (error) => assert.fail(String(error)),
  );
}

async function partsOf({ uri }: vscode.TextDocument): Promise<string[]> {
  return (await lensesOf(uri)).filter((lens) => /Keep|Undo/.test(lens));
}

/** What these tests are about. */
export const changeTests: Tests = {
  async "parts follow what is typed, are kept and undone, and what is typed stays"() {
    const editor = await demo();
    const { document } = editor;
    const now = document.getText().split("\n");
    const changes = await changesSince(
      document,
      now.toSpliced(3, 1, "# before").toSpliced(7, 1).join("\n"),
    );
    const lensesAt = (...lines: number[]) =>
      lines.flatMap((line) => [`${line} $(check) Keep`, `${line} $(discard) Undo`]);
    assert.deepEqual(await partsOf(document), lensesAt(4, 8));
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "# typed\n"));
    assert.deepEqual(await partsOf(document), lensesAt(5, 9));
    await changes.go(true);
    assert.equal(editor.selection.active.line, 4);
    await changes.undo(document.uri, undefined);
    assert.equal(document.lineAt(4).text, "# before");
    await changes.go(true);
    changes.keep(document.uri, undefined);
    assert.deepEqual(await partsOf(document), []);
    assert.equal(document.getText(), ["# typed", ...now.toSpliced(3, 1, "# before")].join("\n"));
    await assert.rejects(changes.undo(document.uri, undefined), /Nothing in this file waits/);
    changes.dispose();
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  async "a file that went while no window was open is passed over, and forgotten"() {
    const editor = await demo();
    const { document } = editor;
    const gone = vscode.Uri.joinPath(document.uri, "../0-gone.py");
    const changes = await changesSince(document, `${document.getText()}# before\n`, gone);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument());
    await changes.go(true);
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, document.uri.path);
    assert.throws(() => changes.keepFile(gone), /Nothing in this file waits/);
    changes.dispose();
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  },

  async "a file as it was read again from disk has parts, and all of them are undone at once"() {
    const { document } = await demo();
    const before = document.getText();
    const changes = await changesSince(document, before);
    assert.deepEqual(await partsOf(document), []);
    const text = `${before}# by a command\n`;
    await vscode.workspace.fs.writeFile(document.uri, new TextEncoder().encode(text));
    await until(async () => await partsOf(document));
    await changes.undoFile(document.uri);
    assert.equal(document.getText(), before);
    assert.equal(document.isDirty, false);
    assert.deepEqual(await partsOf(document), []);
    changes.dispose();
  },
};
