// Glosses inside the extension host: what other extensions know of calls, and the report as a document.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { calls } from "../../src/ports/calls.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";

export const glossTests: Tests = {
  async "nobody knows calls where no extension does"() {
    const { document } = await demo();
    assert.equal(await calls({ uri: document.uri.toString(), ...nameIn(document) }), null);
  },

  async "calls are told as another extension knows them"() {
    const { document } = await demo();
    const uri = document.uri.toString();
    const knowing = callsOf(document);
    try {
      assert.deepEqual(await calls({ uri, ...nameIn(document) }), {
        callers: [{ name: "main", uri, line: 9 }],
        callees: [{ name: "pi", uri, line: 6 }],
      });
      assert.equal(await calls({ uri, line: 0, character: 0 }), null);
    } finally {
      knowing.dispose();
    }
  },

  async "a gloss without a model says who calls, by another extension, and is a document to read"() {
    const { document } = await demo();
    const { server } = await ready();
    const knowing = callsOf(document);
    try {
      const place = { uri: document.uri.toString(), line: nameIn(document).line + 1 };
      const gloss = await server.run("glossator.gloss", place);
      assert.match(gloss.text, /Called by `main`/);
      assert.ok(gloss.report.searched.includes("calls, by the editor's language server"));
      const report = await vscode.workspace.openTextDocument(
        vscode.Uri.parse(gloss.document ?? ""),
      );
      assert.match(report.getText(), /^# Function `area`/);
      await vscode.commands.executeCommand("glossator.gloss", place);
      await until(async () => {
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        return tabs.filter(({ label }) => label.includes("area.md"));
      });
    } finally {
      knowing.dispose();
    }
  },
};

/** Where `area` is defined. */
function nameIn(document: vscode.TextDocument): { line: number; character: number } {
  const { line, character } = document.positionAt(document.getText().indexOf("area("));
  return { line, character };
}

/** An extension that knows who calls `area`, and what that calls. */
function callsOf(document: vscode.TextDocument): vscode.Disposable {
  const { uri } = document;
  const { line: defined } = nameIn(document);
  const item = (name: string, line: number) => {
    const range = new vscode.Range(line, 4, line, 4 + name.length);
    return new vscode.CallHierarchyItem(vscode.SymbolKind.Function, name, "", uri, range, range);
  };
  const at = (line: number) => [new vscode.Range(line, 6, line, 10)];
  return vscode.languages.registerCallHierarchyProvider(
    { language: "python", scheme: "file" },
    {
      prepareCallHierarchy: (_, { line }) => (line === defined ? item("area", line) : undefined),
      provideCallHierarchyIncomingCalls: () => [
        new vscode.CallHierarchyIncomingCall(item("main", 8), at(8)),
      ],
      provideCallHierarchyOutgoingCalls: () => [
        new vscode.CallHierarchyOutgoingCall(item("pi", 0), at(5)),
      ],
    },
  );
}
