// Tests inside the extension host of a real VS Code: commands, providers and ports. A folder with
// demo.py is open, and another beside it; the server is offline.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import * as vscode from "vscode";
import { EMPTY } from "../../panel/state/model.ts";
import { reduce } from "../../panel/state/reduce.ts";
import { Chat } from "../../src/chat/chat.ts";
import { fileChips } from "../../src/editor/chips.ts";
import { openDiff } from "../../src/editor/diff.ts";
import { insertAtCursor } from "../../src/editor/insert.ts";
import { Spans } from "../../src/editor/spans.ts";
import type { Glossator } from "../../src/glossator.ts";
import type { ToPanel } from "../../src/panel/messages.ts";
import { DiagnosticsPort } from "../../src/ports/diagnostics.ts";
import { save, saveOpen } from "../../src/ports/saves.ts";
import { candidates } from "../../src/python.ts";
import { demo, extension, READY_MILLISECONDS, ready, type Tests, until } from "./hosted.ts";
import { changeTests } from "./hosted-changes.ts";
import { diffTests } from "./hosted-diffs.ts";
import { glossTests } from "./hosted-glosses.ts";
import { notebookTests } from "./hosted-notebooks.ts";
import { planTests } from "./hosted-plans.ts";
import { rootTests } from "./hosted-roots.ts";
import { tabTests } from "./hosted-tabs.ts";
import { worktreeTests } from "./hosted-worktrees.ts";

const never = new vscode.CancellationTokenSource().token;

/** Run all tests, and tell what came of each in the file TOLD; only of those with the WORDS, if there are any. Throws if one fails. */
export async function run(): Promise<void> {
  const tell = (told: Told) =>
    appendFileSync(process.env["TOLD"] ?? "", `${JSON.stringify(told)}\n`);
  let failed = 0;
  for (const [name, test] of Object.entries({
    ...tests,
    ...changeTests,
    ...diffTests,
    ...glossTests,
    ...notebookTests,
    ...rootTests,
    ...tabTests,
    ...planTests,
    ...worktreeTests,
  })) {
    if (!name.includes(process.env["WORDS"] ?? "")) {
      continue;
    }
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1000;
    tell({ name });
    try {
      await test();
      tell({ name, seconds: seconds() });
    } catch (error) {
      failed += 1;
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      tell({ name, seconds: seconds(), problem });
    } finally {
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    }
  }
  if (failed > 0) {
    throw new Error(`${failed} tests failed`);
  }
}

/** A test that began, or, with its seconds, that ended. */
interface Told {
  readonly name: string;
  readonly seconds?: number;
  readonly problem?: string;
}

const tests: Tests = {
  async "the Python extension's active environment is tried before the PATH"() {
    const warned: string[] = [];
    const found: string[] = [];
    for await (const { path, source } of candidates({ warn: (text) => warned.push(text) })) {
      found.push(`${source}: ${path}`);
    }
    assert.equal(found[0], "the Python extension: /chosen/bin/python");
    assert.ok(found.length > 1, "the PATH comes after it");
    assert.deepEqual(warned, []);
  },

  async "every command of the manifest is there, and no other"() {
    await ready();
    const { contributes } = extension().packageJSON;
    const declared = contributes.commands.map((each: { command: string }) => each.command);
    const registered = (await vscode.commands.getCommands(true)).filter((name) =>
      /^glossator\.[a-zA-Z]+$/.test(name),
    );
    assert.deepEqual(registered.sort(), declared.sort());
  },

  async "no key of ours is one of VS Code's own, but for Escape at an edit in place, and of changes where marks are"() {
    await vscode.commands.executeCommand("workbench.action.openDefaultKeybindingsFile");
    const text = vscode.window.activeTextEditor?.document.getText() ?? "";
    const others = text.split("},").filter((each) => !each.includes('"glossator.'));
    assert.ok(others.length > 500, "VS Code's keys were read");
    const goesToChange =
      /"command": "[\w.]*(\.(next|previous)Change|\.navigate(Next|Previous)|\.goTo(Next|Previous)Change)"/;
    for (const { command, key, when } of extension().packageJSON.contributes.keybindings) {
      if (command === "glossator.stopInPlace") {
        assert.match(when, /^glossator\.worksInPlace && editorTextFocus && !suggestWidgetVisible/);
        continue;
      }
      const taken = others.filter(
        (each) => each.includes(`"key": "${key}"`) && !each.includes("terminalFocus"),
      );
      const isOfChanges = /^glossator\.(next|previous)Change$/.test(command);
      const strangers = taken.filter((each) => !(isOfChanges && goesToChange.test(each)));
      assert.deepEqual(strangers, []);
      assert.equal(
        isOfChanges,
        when.startsWith("resourcePath in glossator.changedFiles && !textCompareEditorVisible"),
      );
      assert.match(when, /terminalFocus|editorTextFocus/);
    }
  },

  async "a selection can be explained, and a hover is given"() {
    const { document } = await demo();
    const actions = await until(async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider",
        document.uri,
        new vscode.Range(3, 0, 5, 0),
      );
      return found.filter((each) => each.command?.command === "glossator.explain");
    });
    assert.deepEqual(actions[0]?.command?.arguments, [
      { uri: document.uri.toString(), firstLine: 4, lastLine: 5 },
    ]);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      document.uri,
      new vscode.Position(8, 7),
    );
    const texts = hovers.flatMap((each) =>
      each.contents.map((part) => (typeof part === "string" ? part : part.value)),
    );
    assert.match(texts.join("\n"), /area/);
  },

  async "a question of the palette is answered, in a session that can be shown again"() {
    const { chat, conversations } = await ready();
    await vscode.commands.executeCommand("glossator.ask", { question: "How is an area computed?" });
    assert.deepEqual(conversations.running, []);
    const id = chat.sessionId;
    assert.ok(id);
    assert.match(chat.session?.title ?? "", /area/);
    await vscode.commands.executeCommand("glossator.newSession");
    assert.equal(chat.sessionId, undefined);
    await vscode.commands.executeCommand("glossator.resumeSession", id);
    assert.equal(chat.sessionId, id);
  },

  async "an action that is asked again is about the same lines"() {
    const { document } = await demo();
    const { chat, server } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    const lines = { uri: document.uri.toString(), firstLine: 4, lastLine: 5 };
    await vscode.commands.executeCommand("glossator.explain", lines);
    await vscode.commands.executeCommand("glossator.retry");
    const sessionId = chat.sessionId ?? "";
    const turns = (await server.run("glossator.resumeSession", { sessionId })).events;
    assert.equal(turns.filter(({ kind }) => kind === "run.started").length, 1);
    const exported = await server.run("glossator.exportSession", { sessionId, format: "json" });
    const attached = exported.text.match(/Attached by the user: shop\/demo.py, lines 4-5/g) ?? [];
    assert.ok(attached.length > 0, exported.text);
  },

  async "marks follow their lines after the answer, in the panel and when it is shown again"() {
    const editor = await demo();
    const { posted, chat } = otherChat(await ready());
    const question = "How is an area computed?";
    await chat.ask({ question, attachments: [], chips: [], runId: randomUUID() });
    const shown = () => posted.reduce(reduce, EMPTY).turns.at(-1);
    const before = shown()?.citations.map(({ status }) => status) ?? [];
    assert.ok(before.length > 0 && !before.includes("moved"));
    const becomes = async (status: string) =>
      await until(async () => shown()?.citations.filter((each) => each.status === status) ?? []);
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "# one\n# two\n"));
    for (const { firstLine, movedTo, reason } of await becomes("moved")) {
      assert.equal(movedTo, (firstLine ?? 0) + 2);
      assert.match(reason, /^Its lines? stands? at .* now\.$/);
    }
    await vscode.commands.executeCommand("undo");
    await becomes(before[0] ?? "");
    await until(async () => {
      const now = shown()?.citations.map(({ status }) => status) ?? [];
      return now.includes("moved") ? [] : [now];
    });
    chat.replay();
    assert.equal(shown()?.phase, "finished");
    assert.deepEqual(
      shown()
        ?.citations.map(({ status }) => status)
        .sort(),
      [...before].sort(),
    );
    chat.dispose();
  },

  async "what cannot be gone back to leaves the conversation as it is"() {
    const glossator = await ready();
    const { server } = glossator;
    const { posted, chat } = otherChat(glossator);
    const asking = { question: "What is an area?", attachments: [], chips: [] };
    const first = randomUUID();
    await chat.ask({ ...asking, runId: first });
    await server.run("glossator.deleteSession", { sessionId: chat.sessionId ?? "" });
    posted.length = 0;
    const again = { ...asking, question: "What else?", runId: randomUUID(), insteadOf: first };
    await assert.rejects(chat.ask(again));
    const [replay, compose] = posted.filter(({ type }) => type !== "queue").slice(-2);
    assert.ok(replay?.type === "replay" && replay.events.some(({ runId }) => runId === first));
    assert.deepEqual(compose, { type: "compose", text: "What else?", chips: [] });
    chat.dispose();
  },

  async "a question is edited while its session comes back after a reload"() {
    const glossator = await ready();
    const before = otherChat(glossator).chat;
    const asking = { question: "What is an area?", attachments: [], chips: [] };
    const first = randomUUID();
    await before.ask({ ...asking, runId: first });
    const sessionId = before.sessionId ?? "";
    before.dispose();
    const restoring = (posted: readonly ToPanel[]) =>
      posted.flatMap((each) => (each.type === "replay" ? [each.restoring] : []));
    const { posted, chat } = otherChat(glossator, sessionId);
    chat.moved();
    await chat.ask({ ...asking, question: "And a circle?", runId: randomUUID(), insteadOf: first });
    assert.deepEqual(restoring(posted).slice(0, 2), [true, false]);
    assert.equal(chat.sessionId, sessionId);
    assert.ok(!chat.shown.transcript.knows(first)); // the edit took its place
    chat.dispose();
    const gone = otherChat(glossator, randomUUID());
    gone.chat.moved();
    await until(async () => (restoring(gone.posted).length > 1 ? [1] : []));
    assert.deepEqual(restoring(gone.posted), [true, false]);
    gone.chat.dispose();
  },

  async "the modes of new sessions and of one hold when the server is started again"() {
    const { server } = await ready();
    const { id: sessionId } = await server.run("glossator.newSession", { title: "Its own mode" });
    await vscode.commands.executeCommand("glossator.newSession");
    await vscode.commands.executeCommand("glossator.setMode", "plan");
    await vscode.commands.executeCommand("glossator.setMode", "auto", sessionId);
    await server.restart();
    const { mode, modes } = await server.run("glossator.status", {});
    const own = modes.find((each) => each.sessionId === sessionId);
    assert.deepEqual([mode, own?.mode], ["plan", "auto"]);
    await vscode.commands.executeCommand("glossator.setMode", "ask");
    assert.equal((await server.run("glossator.status", {})).mode, "ask");
  },

  async "a session keeps the mode that the server began it in, also in the next server"() {
    const { server, chat } = await ready();
    await server.run("glossator.setMode", { mode: "plan" }); // the window has not heard of it
    await vscode.commands.executeCommand("glossator.newSession");
    await vscode.commands.executeCommand("glossator.ask", { question: "What is an area?" });
    await vscode.commands.executeCommand("glossator.newSession");
    await vscode.commands.executeCommand("glossator.setMode", "ask"); // it asks for the status
    const ids = (await server.run("glossator.status", {})).modes.map((each) => each.sessionId);
    const begun = ids.at(-1);
    const restarting = server.restart();
    const { mode, modes } = await server.run("glossator.status", {}); // asked meanwhile
    await restarting;
    assert.equal(mode, "ask");
    assert.equal(modes.find((each) => each.sessionId === begun)?.mode, "plan");
    assert.equal(chat.sessionId, undefined);
  },

  async "only what the server starts with starts it again"() {
    const { server } = await ready();
    const phases: string[] = [];
    const listening = server.onState(({ phase }) => phases.push(phase));
    const settings = vscode.workspace.getConfiguration("glossator");
    const put = async (name: string, value: unknown) =>
      await settings.update(name, value, vscode.ConfigurationTarget.Global);
    for (const value of [false, undefined]) {
      phases.length = 0;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const changing = vscode.workspace.onDidChangeConfiguration(resolve);
      await put("edits.openDiff", value);
      await promise; // the extension has heard it before
      changing.dispose();
      assert.deepEqual(phases, []);
      await put("grounding.entailment", value);
      await until(async () => (phases.at(-1) === "ready" ? [true] : []));
    }
    listening.dispose();
  },

  async "what waits for a session's first run is kept as soon as there is a session"() {
    const glossator = await ready();
    const { chat, conversations, server } = glossator;
    const { context } = glossator as unknown as { context: vscode.ExtensionContext };
    const kept: unknown[] = [];
    const listening = server.onEvent((event) => {
      if (event.kind === "run.started") {
        const all = context.workspaceState.get<Record<string, unknown>>("glossator.queues", {});
        kept.push(all[event.sessionId]);
      }
    });
    await vscode.commands.executeCommand("glossator.newSession");
    const asking = { question: "What is an area?", attachments: [], chips: [] };
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const beginning = conversations.onChange(resolve);
    const first = chat.ask({ ...asking, runId: randomUUID() });
    const message = { id: "m", question: "And a circle?", chips: [] };
    await begun;
    beginning.dispose();
    await conversations.queueing.add(chat.shown, message, false);
    await first;
    await until(async () => (kept.length === 2 && conversations.running.length === 0 ? [1] : []));
    assert.deepEqual(kept, [[message], undefined]);
    listening.dispose();
  },

  async "the Context view is about the session that is shown"() {
    const { chat, server } = await ready();
    const listed: (string | null)[] = [];
    const run = server.run.bind(server);
    const spy = (name: "glossator.listContext", request: { sessionId: string | null }) => {
      if (name === "glossator.listContext") {
        listed.push(request.sessionId);
      }
      return run(name, request);
    };
    await vscode.commands.executeCommand("glossator.ask", { question: "What is an area?" });
    const id = chat.sessionId ?? "";
    Object.assign(server, { run: spy });
    await vscode.commands.executeCommand("glossator.context.focus");
    await vscode.commands.executeCommand("glossator.refreshContext");
    const lists = async (sessionId: string | null) =>
      await until(async () => (listed.at(-1) === sessionId ? [true] : []));
    await lists(id);
    chat.show();
    await lists(null);
    await chat.resume(id);
    await lists(id);
    Object.assign(server, { run });
  },

  async "a citation is opened at its lines"() {
    const { document } = await demo();
    const spans = new Spans();
    await spans.open(document.uri, 4, 6);
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 3);
    await spans.openPath("demo.py", 9999);
    assert.equal(vscode.window.activeTextEditor?.document.uri.path, document.uri.path);
    spans.dispose();
  },

  async "a plan is shown as a diff"() {
    const { document } = await demo();
    const before = `${document.lineAt(3).text}\n`;
    const after = before.replace("radius", "r");
    const { path } = document.uri;
    const hunk = { id: "h", kind: "edit", path, firstLine: 4, before, after } as const;
    await openDiff({ id: "p", label: "Rename", hunks: [hunk], asOne: false });
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
  },

  async "code is inserted at the cursor, and undone"() {
    const editor = await demo();
    const text = editor.document.getText();
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await insertAtCursor("# hello\n");
    assert.equal(editor.document.getText(), `# hello\n${text}`);
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), text);
  },

  async "what cannot be written to is no place to insert"() {
    const provideTextDocumentContent = () => "Only to read.";
    const provider = vscode.workspace.registerTextDocumentContentProvider("test-read", {
      provideTextDocumentContent,
    });
    await vscode.window.showTextDocument(vscode.Uri.parse("test-read:/read.txt"));
    await assert.rejects(insertAtCursor("# hello\n"), /Open (one|another file) and try again/);
    provider.dispose();
  },

  async "files and folders that are dropped are chips, wherever the window runs"() {
    const { document } = await demo();
    const { path } = document.uri;
    const folder = path.slice(0, path.lastIndexOf("/"));
    const remote = `vscode-remote://host:1${path}`;
    const chips = await fileChips([remote, `file://${folder}`, `file://${folder}/none`]);
    const uris = chips.map(({ attachment }) => attachment.uri);
    assert.deepEqual(uris, [`file://${path}`, `file://${folder}/`]);
    assert.equal(chips[0]?.label, "shop/demo.py");
  },

  async "findings are those of the version asked for, or pending"() {
    const editor = await demo();
    const { document } = editor;
    const port = new DiagnosticsPort();
    const collection = vscode.languages.createDiagnosticCollection("test");
    const uri = document.uri.toString();
    const told = new Promise((resolve) => vscode.languages.onDidChangeDiagnostics(resolve));
    collection.set(document.uri, []); // somebody checks it
    await told;
    await editor.edit((builder) => builder.insert(new vscode.Position(9, 0), "# x\n"));
    const wanted = { files: [{ uri, version: document.version }], seconds: 0.05 };
    assert.equal((await port.answer(wanted, never)).files[0]?.pending, true);
    const waiting = port.answer({ ...wanted, seconds: 20 }, never);
    const found = new vscode.Diagnostic(
      new vscode.Range(3, 0, 3, 3),
      "wrong",
      vscode.DiagnosticSeverity.Warning,
    );
    collection.set(document.uri, [found]);
    const item = { line: 4, severity: "warning", message: "wrong" };
    assert.deepEqual(await waiting, { files: [{ uri, items: [item], pending: false }] });
    assert.deepEqual((await port.answer({ files: [], seconds: 1 }, never)).files, [
      { uri, items: [item] },
    ]);
    collection.dispose();
    port.dispose();
    await vscode.commands.executeCommand("undo");
    assert.ok(!document.isDirty);
  },

  async "nothing is waited for in a language that nobody checks, until somebody does"() {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const port = new DiagnosticsPort();
    const collection = vscode.languages.createDiagnosticCollection("test");
    const files = await Promise.all(
      ["one.go", "two.go", "three.ts"].map(async (name) => {
        const file = vscode.Uri.joinPath(folder.uri, name);
        await vscode.workspace.fs.writeFile(file, Buffer.from("package main\n"));
        const { uri, version } = await vscode.workspace.openTextDocument(file);
        return { uri: uri.toString(), version };
      }),
    );
    const pending = async (number: number, seconds: number) => {
      const wanted = files[number];
      assert.ok(wanted);
      const { files: told } = await port.answer({ files: [wanted], seconds }, never);
      return told[0]?.pending;
    };
    const forever = READY_MILLISECONDS / 1000;
    assert.equal(await pending(0, forever), undefined);
    assert.equal(await pending(2, forever), undefined); // it is not shown
    await vscode.window.showTextDocument(vscode.Uri.parse(files[2]?.uri ?? ""));
    assert.equal(await pending(2, forever), false); // VS Code's own TypeScript finds what is wrong
    const told = new Promise((resolve) => vscode.languages.onDidChangeDiagnostics(resolve));
    collection.set(vscode.Uri.parse(files[1]?.uri ?? ""), []);
    await told;
    assert.equal(await pending(1, 0), false);
    const waiting = pending(0, forever);
    collection.set(vscode.Uri.parse(files[0]?.uri ?? ""), []);
    assert.equal(await waiting, false);
    collection.dispose();
    port.dispose();
    for (const { uri } of files) {
      await vscode.workspace.fs.delete(vscode.Uri.parse(uri));
    }
  },

  async "only the version asked for is saved"() {
    const editor = await demo();
    const { document } = editor;
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "# x\n"));
    const uri = document.uri.toString();
    const older = { documents: [{ uri, version: document.version - 1 }] };
    assert.deepEqual(await save(older, never), { saved: [] });
    assert.ok(document.isDirty);
    const now = { documents: [{ uri, version: document.version }] };
    assert.deepEqual(await save(now, never), { saved: [uri] });
    assert.ok(!document.isDirty);
  },

  async "what VS Code reads in a wrong encoding is not saved"() {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    for (const [at, [bytes, encoding, typed, saves]] of (
      [
        [Buffer.from("gr\u00fcn\n"), "utf8", "\u2192", true],
        [Buffer.from("\ufeffgr\u00fcn\n"), "utf8bom", "\u2192", true],
        [Buffer.from("\ufeffgr\u00fcn\n", "utf16le"), "utf16le", "\u2192", true],
        [Buffer.from("gr\u00fcn\n", "latin1"), "iso88591", "\u00e4", true],
        [Buffer.from("green\n"), "iso88591", "\u00e4", true],
        [Buffer.from("green\n"), "iso88591", "\u2192", false],
        [Buffer.from("gr\u00fcn\n"), "iso88591", "x", false],
        [Buffer.from("gr\u00fcn\n", "latin1"), "utf8", "x", false],
      ] as const
    ).entries()) {
      const file = vscode.Uri.joinPath(folder.uri, `encoded-${at}.txt`); // VS Code keeps a closed one a while
      const uri = file.toString();
      const what = `${bytes.toString("hex")} as ${encoding}, with ${typed}`;
      await vscode.workspace.fs.writeFile(file, bytes);
      const document = await vscode.workspace.openTextDocument(file, { encoding });
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), typed));
      const wanted = { documents: [{ uri, version: document.version }] };
      assert.deepEqual(await save(wanted, never), { saved: saves ? [uri] : [] }, what);
      const onDisk = await vscode.workspace.fs.readFile(file);
      assert.equal(Buffer.compare(onDisk, bytes) === 0, !saves, what);
      if (!saves) {
        await assert.rejects(saveOpen([uri]), /is not saved/, what);
      }
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      await vscode.workspace.fs.delete(file);
    }
  },

  async "status and doctor are documents to read"() {
    await ready();
    for (const name of ["status", "doctor"]) {
      await vscode.commands.executeCommand(`glossator.${name}`);
      const labels = await until(async () => {
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        return tabs.map((tab) => tab.label).filter((label) => label.includes(`Glossator ${name}`));
      });
      assert.equal(labels.length, 1);
    }
  },

  async "the server comes back when it ends unasked"() {
    const { server } = await ready();
    const phases: string[] = [];
    const listening = server.onState(({ phase }) => phases.push(phase));
    const number = await serverProcess();
    process.kill(Number(number), "SIGKILL");
    await until(async () => (phases.at(-1) === "ready" ? [true] : []));
    listening.dispose();
    assert.deepEqual(phases.slice(0, 1), ["waiting"]);
    assert.equal((await server.run("glossator.status", {})).offline, true);
  },
};

/** One that is shown nowhere; what it would show. */
function otherChat({ conversations, server, log }: Glossator, sessionId?: string) {
  const posted: ToPanel[] = [];
  const panel = { visible: true, post: (message: ToPanel) => posted.push(message) };
  const bookmark = { sessionId, keep: () => undefined };
  const others = { mayReplace: async () => true, bringsElsewhere: async () => false };
  return { posted, chat: new Chat(conversations, server, panel, bookmark, others, log) };
}

/** The process that answers; it tells its own number in no other way. */
async function serverProcess(): Promise<string> {
  const { execFileSync } = await import("node:child_process");
  const ours = execFileSync("pgrep", ["-P", String(process.pid), "-f", "glossator.lsp"]);
  return String(ours).trim().split("\n")[0] ?? "";
}
