// Several chats at once, inside the extension host: the view's, and one in an editor tab.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { ToPanel } from "../../src/panel/messages.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";

const QUESTION = { question: "How is an area computed?" };

export const tabTests: Tests = {
  async "each chat has its own conversation, and the palette is about the one used last"() {
    const { surfaces } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    const view = surfaces.current;
    await vscode.commands.executeCommand("glossator.newInEditor");
    await until(async () => (surfaces.isTabUsed ? [true] : [])); // the view may tell its focus late
    const tab = surfaces.current;
    await Promise.all([
      tab.commands["glossator.ask"]?.(QUESTION),
      view.commands["glossator.ask"]?.({ question: "What is a circle?" }),
    ]);
    const [inTab, inView] = [tab.chat.sessionId, view.chat.sessionId];
    assert.ok(inTab && inView && inTab !== inView);
    await isOnlyTab(tab.chat.session?.title);
    assert.match(tab.chat.session?.title ?? "", /area/);
    await view.chat.resume(inTab); // the tab has it
    assert.equal(view.chat.sessionId, inView);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(async () => (surfaces.isTabUsed ? [] : [true]));
    await view.chat.resume(inTab);
    assert.equal(view.chat.sessionId, inTab);
  },

  async "questions that a chat is asked at the same time get a session each"() {
    const { chat, conversations } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    const before = await conversations.list();
    const asking = { ...QUESTION, attachments: [], chips: [] };
    await Promise.all([
      chat.ask({ ...asking, runId: randomUUID() }),
      chat.ask({ ...asking, runId: randomUUID() }),
    ]);
    assert.equal((await conversations.list()).length, before.length + 2);
  },

  async "what is selected stays with a chat that takes the place of its editor"() {
    const { surfaces } = await ready();
    const editor = await demo();
    editor.selection = new vscode.Selection(3, 0, 4, 0);
    const posted: ToPanel[] = [];
    const selected = () => {
      const last = posted.findLast((message) => message.type === "situation");
      return last?.situation.selection?.label;
    };
    await vscode.commands.executeCommand("glossator.newInEditor");
    await until(async () => (surfaces.isTabUsed ? [true] : []));
    const tab = surfaces.current;
    tab.panel.post = (message) => posted.push(message);
    await until(async () => (vscode.window.activeTextEditor === undefined ? [true] : []));
    await tab.commands["glossator.ask"]?.(QUESTION); // in which time it would have gone
    await until(async () => (tab.chat.session?.title ? [true] : []));
    assert.equal(selected(), "demo.py:4");
  },

  async "an edit in the editor leaves the chat what it is at"() {
    const { chat, surfaces } = await ready();
    const { document } = await demo();
    await vscode.commands.executeCommand("glossator.newSession");
    const lines = { uri: document.uri.toString(), firstLine: 4, lastLine: 5 };
    const asking = chat.ask({ ...QUESTION, attachments: [], chips: [], runId: randomUUID() });
    const { shown } = chat;
    const edit = surfaces.current.commands["glossator.edit"];
    await Promise.all([asking, edit?.({ ...lines, instruction: "Name it r." })]);
    assert.equal(chat.shown, shown);
    assert.deepEqual(
      shown.asked.map(({ question }) => question),
      [QUESTION.question],
    );
  },

  async "the view's conversation goes on in an editor tab"() {
    const { chat, surfaces } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    await vscode.commands.executeCommand("glossator.ask", QUESTION);
    const { sessionId, session } = chat;
    await vscode.commands.executeCommand("glossator.openInEditor");
    assert.equal(chat.sessionId, undefined);
    assert.equal(surfaces.showing(sessionId ?? "")?.chat.sessionId, sessionId);
    await isOnlyTab(session?.title);
  },
};

/** Wait until one tab is open, with this title: VS Code tells titles a little later. */
async function isOnlyTab(title: string | undefined): Promise<void> {
  await until(async () => {
    const labels = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.map(({ label }) => label),
    );
    return labels.length === 1 && labels[0] === title ? labels : [];
  });
}
