// Edits that wait for the user, in VS Code's own diff.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { permission } from "../../src/ports/permission.ts";
import { review } from "../../src/ports/review.ts";
import type { EditPlan, Hunk, PermissionAnswer } from "../../src/wire.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";

/** A plan that changes these lines (from 1) of a document. */
function planFor(document: vscode.TextDocument, lines: readonly number[]): EditPlan {
  const hunks = lines.map((line): Hunk => {
    const before = `${document.lineAt(line - 1).text}\n`;
    const path = document.uri.fsPath;
    return { id: `h${line}`, kind: "edit", path, firstLine: line, before, after: `# ${before}` };
  });
  return { id: "e", label: "Edit demo.py", hunks, asOne: false };
}

/** An answer that is kept: which parts are left out, and how it was decided. */
function deciding() {
  const leftOut = new Set<string>();
  const decided: boolean[] = [];
  const leaveOut = (part: string, out: boolean) => {
    leftOut.delete(part);
    if (out) {
      leftOut.add(part);
    }
  };
  const decide = (take: boolean) => decided.push(take);
  return { leftOut, decided, answer: { leftOut: () => leftOut, leaveOut, decide } };
}

const proposed = () =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => tab.label.includes("(proposed)"));

/** The code lenses of a document: lines (from 1) and titles. */
export async function lensesOf(uri: vscode.Uri): Promise<string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    "vscode.executeCodeLensProvider",
    uri,
  );
  return lenses.map(({ range, command }) => `${range.start.line + 1} ${command?.title}`);
}

/** What these tests are about. */
export const diffTests: Tests = {
  async "an edit that waits opens as a diff, is taken in part there, and its diff closes"() {
    const { document } = await demo();
    const { proposals } = await ready();
    const { leftOut, decided, answer } = deciding();
    const proposal = proposals.propose(planFor(document, [4, 5]), answer);
    const [tab] = await until(async () => proposed());
    const input = tab?.input as vscode.TabInputTextDiff;
    const right = await vscode.workspace.openTextDocument(input.modified);
    const left = await vscode.workspace.openTextDocument(input.original);
    assert.equal(left.getText(), document.getText());
    assert.match(right.lineAt(3).text, /^# /);
    assert.deepEqual(await lensesOf(right.uri), [
      "4 $(check) Accept This Part",
      "4 $(close) Reject This Part",
      "4 Part 1 of 2",
      "5 $(check) Accept This Part",
      "5 $(close) Reject This Part",
      "5 Part 2 of 2",
    ]);
    await vscode.commands.executeCommand("glossator.rejectPart", right.uri, "h4");
    await until(async () => (right.getText().includes("# ") ? [right.lineAt(3).text] : []));
    assert.ok((await lensesOf(right.uri)).includes("4 Part 1 of 2: rejected"));
    assert.deepEqual([...leftOut], ["h4"]);
    leftOut.clear(); // on its card
    leftOut.add("h5");
    proposal.changed();
    await until(async () => (right.lineAt(3).text.startsWith("# ") ? [true] : []));
    assert.ok((await lensesOf(right.uri)).includes("5 Part 2 of 2: rejected"));
    assert.deepEqual(decided, []);
    await vscode.commands.executeCommand("glossator.acceptEdit", right.uri);
    assert.deepEqual(decided, [true]);
    proposal.dispose();
    await until(async () => (proposed().length === 0 ? [true] : []));
  },

  async "once every part is decided the answer is given, without one more press"() {
    const { document } = await demo();
    const { proposals } = await ready();
    const { leftOut, decided, answer } = deciding();
    const proposal = proposals.propose(planFor(document, [4]), answer);
    await proposal.open();
    const input = proposed()[0]?.input as vscode.TabInputTextDiff;
    assert.deepEqual(await lensesOf(input.modified), ["4 $(check) Accept", "4 $(close) Reject"]);
    await vscode.commands.executeCommand("glossator.rejectPart", input.modified, "h4");
    assert.deepEqual([[...leftOut], decided], [["h4"], [true]]);
    proposal.dispose();
  },

  async "only what is accepted counts as decided about, in its diff or on its card"() {
    const { document } = await demo();
    const { proposals } = await ready();
    const plan = planFor(document, [4, 5]);
    const about = { sessionId: "s", sessionTitle: "" };
    const taken: string[] = [];
    const take = (hunks: readonly Hunk[]) => taken.push(...hunks.map(({ id }) => id));
    const request = {
      ...{ tool: "Edit", title: "Edit a.py?", detail: "", cut: null, plan, ...about },
      ...{ reasons: [], suggestions: [], choices: ["once" as const, "deny" as const] },
    };
    for (const rejected of [["h4", "h5"], ["h4"]]) {
      const { leftOut, answer } = deciding();
      const inquiry = permission(request, proposals, take);
      const given = (answered: PermissionAnswer) => inquiry.complete?.(answered, leftOut);
      const sheet = { ...answer, leftOut: () => leftOut, answer: given };
      const beside = inquiry.beside?.(sheet);
      await inquiry.open();
      const input = proposed()[0]?.input as vscode.TabInputTextDiff;
      await lensesOf(input.modified);
      for (const id of ["h4", "h5"]) {
        const command = rejected.includes(id) ? "rejectPart" : "acceptPart";
        await vscode.commands.executeCommand(`glossator.${command}`, input.modified, id);
      }
      beside?.dispose();
      await until(async () => (proposed().length === 0 ? [true] : []));
    }
    assert.deepEqual(taken, ["h5"]);
    const inquiry = review({ ...plan, ...about }, proposals, take);
    inquiry.complete?.({ accepted: [] }, new Set());
    inquiry.complete?.({ accepted: ["h4", "h5"] }, new Set(["h5"]));
    assert.deepEqual(taken, ["h5", "h4"]);
  },

  async "a proposal follows what is typed in the file"() {
    const editor = await demo();
    const { proposals } = await ready();
    const proposal = proposals.propose(planFor(editor.document, [4]), deciding().answer);
    await proposal.open();
    const input = proposed()[0]?.input as vscode.TabInputTextDiff;
    const left = await vscode.workspace.openTextDocument(input.original);
    const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
    const edit = new vscode.WorkspaceEdit();
    edit.insert(editor.document.uri, end, "# typed\n");
    await vscode.workspace.applyEdit(edit);
    await until(async () => (left.getText().includes("# typed") ? [true] : []));
    proposal.dispose();
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
};
