// What runs have changed, marked in editors until it is kept or undone.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Changes } from "../../src/editor/changes.ts";
import type { Server } from "../../src/server/server.ts";
import type { Event } from "../../src/wire.ts";
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

/** A server of which one run after the other edits one document. */
class Runs {
  isEditing = false;
  #number = 0;
  readonly #events = new vscode.EventEmitter<Event>();
  readonly onEvent = this.#events.event;
  readonly onUndone = new vscode.EventEmitter<never>().event;
  readonly changes = new Changes(
    this as unknown as Server,
    { get: () => [] as never, keys: () => [], update: async () => undefined },
    async () => undefined,
    () => true,
    (error) => assert.fail(String(error)),
  );

  constructor(
    private readonly document: vscode.TextDocument,
    private readonly before = document.getText(),
  ) {}

  /** What each of them found in the file. */
  async run(): Promise<object> {
    const { fsPath, path } = this.document.uri;
    const file = { path, uri: vscode.Uri.file(fsPath).toString(), change: "changed" };
    return { before: this.before, file };
  }

  /** A run edits a line after the other; whether the user decides about each edit beforehand. */
  async edit(...lines: readonly { at: number; text: string; isReviewed: boolean }[]) {
    this.#number += 1;
    this.#tell({ kind: "run.started", sessionId: "s" });
    for (const { at, text, isReviewed } of lines) {
      const hunks = [{ path: this.document.uri.fsPath }];
      this.#tell({ kind: "edit.proposed", plan: { id: "p", hunks } });
      if (isReviewed) {
        this.changes.reviewed("s", hunks);
      }
      await this.line(at, text);
      this.#tell({ kind: "edit.settled", planId: "p", applied: true });
      await new Promise((done) => setTimeout(done)); // it asks for the text before
    }
    this.#tell({ kind: "run.finished", stop: "answered" });
  }

  /** The server gives a line another text. */
  async line(at: number, text: string): Promise<void> {
    this.isEditing = true;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(this.document.uri, this.document.lineAt(at).range, text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    this.isEditing = false;
  }

  #tell(event: object): void {
    this.#events.fire({ runId: `r${this.#number}`, ...event } as unknown as Event);
  }
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

  async "an undo of what was reviewed, kept or neither leaves no parts, and other parts as they are"() {
    const { document } = await demo();
    const [third, fourth, eighth] = [3, 4, 8].map((at) => document.lineAt(at).text);
    const runs = new Runs(document);
    const waiting = async () => (await partsOf(document)).filter((each) => /Undo/.test(each));
    await runs.edit(
      { at: 3, text: "# reviewed", isReviewed: true },
      { at: 4, text: "# reviewed, too", isReviewed: true },
    );
    assert.deepEqual(await waiting(), []);
    await runs.line(4, fourth ?? "");
    await runs.line(3, third ?? "");
    assert.deepEqual(await waiting(), []);
    await runs.edit(
      { at: 3, text: "# reviewed", isReviewed: true },
      { at: 8, text: "# not reviewed", isReviewed: false },
    );
    assert.deepEqual(await waiting(), ["9 $(discard) Undo"]);
    await runs.line(3, third ?? "");
    assert.deepEqual(await waiting(), ["9 $(discard) Undo"]);
    await runs.line(8, eighth ?? "");
    assert.deepEqual(await waiting(), []);
    runs.changes.dispose();
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
};
