// A client made of npm's packages for language servers: node client.mjs PYTHON PACKAGES FOLDER.
// It opens calc.py, hovers, asks, applies the edit and shuts down; what it saw is printed as JSON.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [python, packages, folder] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const lsp = require("vscode-languageserver-protocol/node");
const { TextDocument } = require("vscode-languageserver-textdocument");

const wrong = [];
const note = (what) => wrong.push(what);
const server = spawn(python, ["-m", "glossator.lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
  { error: note, warn: note, info: () => {}, log: () => {} },
);
const ended = once(server, "exit");
connection.onError(([error]) => note(String(error)));
connection.onUnhandledNotification(({ method }) => note(`a notification nobody wants: ${method}`));
connection.onRequest((method) => {
  note(`a request nobody can answer: ${method}`);
  return new lsp.ResponseError(lsp.ErrorCodes.MethodNotFound, method);
});
connection.onNotification(lsp.LogMessageNotification.type, ({ message }) => note(message));
connection.onNotification(lsp.ShowMessageNotification.type, () => {});

const uri = pathToFileURL(`${folder}/calc.py`).href;
let document = TextDocument.create(uri, "python", 1, readFileSync(`${folder}/calc.py`, "utf8"));
connection.onRequest(lsp.ApplyWorkspaceEditRequest.type, ({ edit }) => {
  const [change] = edit.documentChanges ?? [];
  const { version } = change?.textDocument ?? {};
  if (!lsp.WorkspaceEdit.is(edit) || edit.documentChanges.length !== 1 || version !== document.version) {
    note(`an edit of something else: ${JSON.stringify(edit)}`);
  }
  const text = TextDocument.applyEdits(document, change.edits);
  document = TextDocument.create(uri, "python", version + 1, text);
  const textDocument = { uri, version: document.version };
  connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument,
    contentChanges: [{ text }],
  });
  return { applied: true };
});

connection.listen();
await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: null,
  workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "work" }],
  capabilities: {
    workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } },
    textDocument: { hover: { contentFormat: ["markdown"] } },
  },
  initializationOptions: { settings: { permissions: { mode: "acceptEdits" } }, trusted: true },
});
connection.sendNotification(lsp.InitializedNotification.type, {});
const opened = { uri, languageId: "python", version: 1, text: document.getText() };
connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: opened });
const hover = await connection.sendRequest(lsp.HoverRequest.type, {
  textDocument: { uri },
  position: { line: 0, character: 5 },
});
if (!lsp.Hover.is(hover)) {
  note(`no hover: ${JSON.stringify(hover)}`);
}
const answer = await connection.sendRequest(lsp.ExecuteCommandRequest.type, {
  command: "glossator.ask",
  arguments: [{ question: "?" }],
});
await connection.sendRequest(lsp.ShutdownRequest.type);
await connection.sendNotification(lsp.ExitNotification.type);
const [code] = await ended;
const seen = { hover: hover.contents.value, answer: answer.text, text: document.getText() };
process.stdout.write(JSON.stringify({ ...seen, code, wrong }));
