// Sessions in worktrees of their own, and models on this machine: what the user is asked, and told. The
// server's answers about worktrees are made up here; git is the server's.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { leaveLocalServer, use } from "../../src/commands/local-servers.ts";
import type { Server } from "../../src/server/server.ts";
import type { SessionInfo } from "../../src/wire.ts";
import { demo, ready, type Tests, until } from "./hosted.ts";

type Answers = Readonly<Record<string, (request: never) => unknown>>;

const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };

/** What these tests are about. */
export const worktreeTests: Tests = {
  async "a merge is asked about once, saves notebooks, closes those of the worktree, and says how to undo it"() {
    const { server } = await ready();
    const session = await inWorktree(server);
    const [mine, other] = [notebookIn("mine"), vscode.Uri.file(`${folderOf(session)}/other.ipynb`)];
    for (const uri of [mine, other]) {
      await vscode.workspace.fs.writeFile(uri, Buffer.from(JSON.stringify(NOTEBOOK)));
      const opened = await vscode.workspace.openNotebookDocument(uri);
      await vscode.window.showNotebookDocument(opened, { preview: false });
    }
    const edit = new vscode.WorkspaceEdit();
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "a = 1", "python");
    edit.set(mine, [vscode.NotebookEdit.insertCells(0, [cell])]);
    assert.ok(await vscode.workspace.applyEdit(edit));
    const notebook = vscode.workspace.notebookDocuments.find(
      ({ uri }) => uri.toString() === mine.toString(),
    );
    await until(async () => (notebook?.isDirty ? [true] : []));
    const merged: boolean[] = [];
    const answers = {
      "glossator.listSessions": () => ({ sessions: [session] }),
      "glossator.mergeWorktree": () => {
        merged.push(notebook?.isDirty === false);
        return { branch: "glossator/work-1", into: "main", before: "0".repeat(40), files: ["a"] };
      },
    };
    const merge = () => vscode.commands.executeCommand("glossator.mergeWorktree", session.id);
    await answered(server, answers, async () => {
      const asked = await pressing(undefined, merge);
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? "", /^Merge glossator\/work-1 into main\? .*mine\.ipynb/);
      assert.deepEqual(merged, []);
      const said = await pressing("Save and Merge", merge);
      assert.deepEqual(merged, [true]);
      assert.match(
        said[1] ?? "",
        /^Merged .* git reset --keep 0{12}, before you commit anything else\./,
      );
    });
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.ok(!tabs.some(({ label }) => label.includes("other")));
    assert.ok(tabs.some(({ label }) => label.includes("mine")));
    await vscode.workspace.fs.delete(mine);
  },

  async "before a session is deleted, what goes with its worktree is said"() {
    const { server } = await ready();
    const session = await inWorktree(server);
    const ask = async (info: SessionInfo) => {
      const answers = { "glossator.listSessions": () => ({ sessions: [info] }) };
      let said: readonly string[] = [];
      await answered(server, answers, async () => {
        const remove = () => vscode.commands.executeCommand("glossator.deleteSession", info.id);
        said = await pressing(undefined, remove);
      });
      return said[0] ?? "";
    };
    assert.match(await ask(session), /its worktree with all files in it and the branch glossator/);
    assert.match(await ask({ ...session, worktree: null }), /Files stay as they are\.$/);
  },

  async "where no worktree can be made, what is asked next works in the files"() {
    const { document } = await demo();
    const { chat } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    const question = "What is an area?";
    const asking = { question, attachments: [], chips: [], worktree: true };
    await chat.ask({ ...asking, runId: randomUUID() }); // the folder is in no repository
    const { shown } = chat;
    assert.equal(shown.id, undefined);
    assert.ok(shown.transcript.events.some(({ kind }) => kind === "run.failed"));
    const lines = { uri: document.uri.toString(), firstLine: 4, lastLine: 5 };
    await vscode.commands.executeCommand("glossator.explain", lines);
    assert.ok(chat.shown === shown && shown.id !== undefined);
  },

  async "lines of a worktree are explained and edited in its session"() {
    const { document } = await demo();
    const { chat, server } = await ready();
    const session = await inWorktree(server);
    const uri = `file://${folderOf(session)}/demo.py`;
    const given: unknown[] = [];
    const run = server.run.bind(server);
    const answers = {
      "glossator.listSessions": () => ({ sessions: [session] }),
      "glossator.explain": (request: { sessionId: string }) => {
        given.push(request.sessionId);
        return run("glossator.explain", { ...request, ...mine });
      },
      "glossator.edit": (request: { sessionId: string }) => {
        given.push(request.sessionId);
        throw new Error("enough");
      },
    };
    const lines = { firstLine: 4, lastLine: 5 };
    const mine = { ...lines, uri: document.uri.toString() };
    await answered(server, answers, async () => {
      await vscode.commands.executeCommand("glossator.newSession");
      await vscode.commands.executeCommand("glossator.explain", { ...lines, uri });
      assert.equal(chat.sessionId, session.id);
      await vscode.commands.executeCommand("glossator.newSession");
      await vscode.commands.executeCommand("glossator.edit", { ...lines, uri, instruction: "x" });
      assert.equal(chat.sessionId, undefined);
      await vscode.commands.executeCommand("glossator.explain", mine);
      assert.deepEqual(given, [session.id, session.id, null]);
    });
  },

  async "a session that was open elsewhere is free once it is looked at again"() {
    const { chat, server } = await ready();
    const { id } = await server.run("glossator.newSession", { title: "Free by now" });
    await chat.resume(id);
    const { shown } = chat;
    assert.ok(shown.info);
    shown.info = { ...shown.info, elsewhere: "a terminal" };
    const still = { sessions: [shown.info] };
    await answered(server, { "glossator.listSessions": () => still }, async () => {
      await chat.conversations.lookAgain(shown);
    });
    assert.equal(chat.session?.elsewhere, "a terminal");
    chat.used();
    await until(async () => (chat.session?.elsewhere === "" ? [true] : []));
    assert.equal(chat.sessionId, id);
  },

  async "a model on this machine takes the place of the models that are set, and gives it back"() {
    await ready();
    const kept = new Map<string, unknown>();
    const memento = {
      keys: () => [...kept.keys()],
      get: (key: string, otherwise?: unknown) => kept.get(key) ?? otherwise,
      update: async (key: string, value: unknown) => void kept.set(key, value),
    } as vscode.Memento;
    const settings = () => vscode.workspace.getConfiguration("glossator.models");
    const set = async (name: string, value: unknown) =>
      await settings().update(name, value, vscode.ConfigurationTarget.Global);
    const now = () =>
      ["main", "fast", "profile", "baseUrl"].map((name) => settings().inspect(name)?.globalValue);
    const main = { model: "claude-opus-4-1", effort: "high" };
    await set("main", main);
    const server = { name: "Ollama", url: "http://127.0.0.1:11434", profile: "generic" } as never;
    const chosen = (model: string) => ({ label: "", server, model });
    const [said] = await pressing(undefined, () => use(memento, chosen("one")));
    assert.match(said ?? "", /^one of Ollama on this machine answers from now on/);
    await use(memento, chosen("two"));
    const local = ["generic", "http://127.0.0.1:11434"];
    assert.deepEqual(now(), [{ model: "two" }, undefined, ...local]);
    await leaveLocalServer(memento);
    assert.deepEqual(now(), [main, undefined, undefined, undefined]);
    process.env["ANTHROPIC_BASE_URL"] = "https://proxy.example";
    const [warned] = await pressing(undefined, () => use(memento, chosen("one")));
    delete process.env["ANTHROPIC_BASE_URL"];
    assert.match(warned ?? "", /^Nothing was changed: ANTHROPIC_BASE_URL is set/);
    assert.deepEqual(now(), [main, undefined, undefined, undefined]);
    await set("main", undefined);
    await ready();
  },
};

/** A session as one in a worktree is listed. */
async function inWorktree(server: Server): Promise<SessionInfo> {
  const info = await server.run("glossator.newSession", { title: "Raise the tax" });
  const folders = [`${folderPath()}-tree`];
  const branch = "glossator/work-1";
  return {
    ...info,
    worktree: { name: "work-1", branch, folders, state: "open", changed: 1, into: "main" },
  };
}

function folderOf({ worktree }: SessionInfo): string {
  return worktree?.folders[0] ?? "";
}

function folderPath(): string {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
}

function notebookIn(name: string): vscode.Uri {
  return vscode.Uri.file(`${folderPath()}/${name}.ipynb`);
}

/** What is said while `during` goes on; the user presses this button of each. */
async function pressing(
  button: string | undefined,
  during: () => unknown,
): Promise<readonly string[]> {
  const { showWarningMessage, showInformationMessage } = vscode.window;
  const said: string[] = [];
  const say = async (message: string, ...rest: readonly unknown[]) => {
    const [options] = rest as readonly [{ detail?: string } | string | undefined];
    said.push(`${message} ${typeof options === "object" ? options.detail : ""}`.trim());
    return rest.includes(button) ? button : undefined;
  };
  Object.assign(vscode.window, { showWarningMessage: say, showInformationMessage: say });
  try {
    await during();
  } finally {
    Object.assign(vscode.window, { showWarningMessage, showInformationMessage });
  }
  return said;
}

/** What the server is asked is answered by these, as long as `during` goes on. */
async function answered(server: Server, answers: Answers, during: () => Promise<void>) {
  const { run } = server;
  Object.assign(server, {
    run: async (name: string, request: never, ...rest: readonly unknown[]) => {
      const answer = answers[name];
      return answer
        ? await answer(request)
        : await run.call(server, name as never, request, ...(rest as []));
    },
  });
  try {
    await during();
  } finally {
    Object.assign(server, { run });
  }
}
