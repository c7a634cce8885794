// Glosses inside the extension host: what other extensions know of calls, and the report as a document.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { code } from "../../src/ports/code.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";

export const glossTests: Tests = {
  async "nobody knows a name where no extension does"() {
    const { document } = await demo();
    const at = {
      uri: document.uri.toString(),
      ...nameIn(document),
      newName: "surface",
      version: null,
    };
    for (const kind of KINDS) {
      assert.equal(await code({ kind, ...at }), null, kind);
    }
    const renamed = await code({ kind: "rename", ...at });
    assert.ok(renamed?.refused, JSON.stringify(renamed));
  },

  async "a name is told as other extensions know it"() {
    const { document } = await demo();
    const uri = document.uri.toString();
    const at = { uri, ...nameIn(document), newName: "surface", version: null };
    const { line, character } = at;
    const knowing = vscode.Disposable.from(callsOf(document), namesOf(document));
    try {
      const by = "VS Code";
      const expected = {
        callers: { by, places: [{ name: "main", uri, line: 8 }] },
        callees: { by, places: [{ name: "pi", uri, line: 0, calls: [5] }] },
        definitions: { by, places: [{ uri, line }] },
        references: {
          by,
          places: [
            { uri, line },
            { uri, line: 8 },
          ],
        },
        implementations: { by, places: [{ uri, line: 1 }] },
        type: { by, text: "area: a function\n\nTold twice" },
        rename: {
          by,
          edits: [
            { uri, line, character, endLine: line, endCharacter: character + 4, text: "surface" },
          ],
        },
      } as const;
      for (const [kind, answer] of Object.entries(expected)) {
        assert.deepEqual(await code({ kind: kind as keyof typeof expected, ...at }), answer, kind);
      }
      const refused = await code({ kind: "rename", ...at, newName: "1" });
      assert.match(refused?.refused ?? "", /no name/);
      assert.equal(await code({ ...at, kind: "callers", line: 0, character: 0 }), null);
      assert.equal(await code({ ...at, kind: "callers", version: document.version - 1 }), null);
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
      assert.ok(gloss.report.searched.includes("calls, by VS Code"));
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

const KINDS = [
  "definitions",
  "references",
  "implementations",
  "callers",
  "callees",
  "type",
] as const;

/** An extension that knows the name `area`. */
function namesOf(document: vscode.TextDocument): vscode.Disposable {
  const { line, character } = nameIn(document);
  const selector = { language: "python", scheme: "file" };
  const here = (at: number) =>
    new vscode.Location(document.uri, new vscode.Range(at, character, at, character + 4));
  return vscode.Disposable.from(
    vscode.languages.registerDefinitionProvider(selector, {
      provideDefinition: () => [
        {
          targetUri: document.uri,
          targetRange: new vscode.Range(line, 0, line + 2, 0),
          targetSelectionRange: here(line).range,
        },
      ],
    }),
    vscode.languages.registerReferenceProvider(selector, {
      provideReferences: () => [here(line), here(8)],
    }),
    vscode.languages.registerImplementationProvider(selector, {
      provideImplementation: () => here(1),
    }),
    vscode.languages.registerHoverProvider(selector, {
      provideHover: () =>
        new vscode.Hover([new vscode.MarkdownString("area: a function"), "Told twice"]),
    }),
    vscode.languages.registerRenameProvider(selector, {
      provideRenameEdits(_, __, name) {
        if (!/^[a-z]/.test(name)) {
          throw new Error(`${name} is no name`);
        }
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, here(line).range, name);
        return edit;
      },
    }),
  );
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
