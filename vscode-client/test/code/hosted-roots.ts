// A workspace of two folders of one name, inside the extension host: the server calls the second
// `shop-2`, VS Code "The Till".

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Spans } from "../../src/editor/spans.ts";
import { ready, type Tests, until } from "./hosted.ts";

export const rootTests: Tests = {
  async "what is completed after @ in a second folder is attached, and its citations open there"() {
    const { server } = await ready();
    const [item] = await until(async () => {
      const { items } = await server.run("glossator.complete", { text: "@til" });
      return items.filter(({ kind }) => kind === "file");
    });
    assert.equal(item?.insert.trim(), "@shop-2/till.py");
    const question = `How are coins counted in ${item?.insert.trim()} ?`;
    const { citations } = await server.run("glossator.ask", { question });
    const cited = citations.find(({ target }) => target === "shop-2/till.py");
    assert.ok(cited?.uri, JSON.stringify(citations));
    const spans = new Spans();
    await spans.open(vscode.Uri.parse(cited.uri), cited.firstLine ?? 1, cited.lastLine ?? 1);
    assert.equal(shown(), till());
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await spans.openPath(cited.target, 4);
    assert.equal(shown(), till());
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 3);
    spans.dispose();
  },

  async "a gloss of a symbol in a second folder is kept, and leads there"() {
    const { server } = await ready();
    const gloss = await server.run("glossator.gloss", { uri: till(), line: 4 });
    const report = await vscode.workspace.openTextDocument(vscode.Uri.parse(gloss.document ?? ""));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      "vscode.executeLinkProvider",
      report.uri,
      10, // are resolved
    );
    const targets = links.map(({ target }) => String(target?.with({ fragment: "" })));
    assert.ok(targets.includes(till()), JSON.stringify([targets, report.getText()]));
  },
};

function till(): string {
  const second = vscode.workspace.workspaceFolders?.[1]?.uri;
  assert.ok(second);
  return vscode.Uri.joinPath(second, "till.py").toString();
}

function shown(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.toString();
}
