// Notebooks that are open in VS Code's notebook editor. The server gets each as the text of its file, with
// what is typed in its cells, and edits that; its edits are made in the cells, where they can be undone, and
// nothing that was typed is lost.

import { isDeepStrictEqual } from "node:util";
import {
  Disposable,
  NotebookCellData,
  NotebookCellKind,
  NotebookCellOutput,
  NotebookCellOutputItem,
  type NotebookDocument,
  NotebookEdit,
  NotebookRange,
  Range,
  Uri,
  WorkspaceEdit,
  workspace,
} from "vscode";
import type {
  ApplyWorkspaceEditResult,
  TextEdit,
  WorkspaceEdit as WireEdit,
} from "vscode-languageclient/node";
import {
  agreeBesidesSource,
  areSame,
  areWhollySame,
  cellsIn,
  difference,
  type PlacedCell,
  type PlacedCells,
  withCells,
} from "../notebook-text.ts";
import { cellsOf } from "./changed-cells.ts";

const TYPE = "jupyter-notebook";
const SAVED_AFTER = 250; // ms after a change that was read from disk, or typed

/** A notebook as the server has it. */
interface Opened {
  readonly notebook: NotebookDocument;
  text: string;
  version: number;
  /** An edit of the server's is being made. */
  isEditing: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface Text extends PlacedCells {
  readonly text: string;
}

/** All of them. `send` tells the server of a document. */
export class Notebooks implements Disposable {
  readonly #opened = new Map<string, Opened>(); // by URI
  readonly #parts: Disposable;

  constructor(private readonly send: (method: string, params: object) => void) {
    this.#parts = Disposable.from(
      workspace.onDidOpenNotebookDocument((notebook) => void this.#open(notebook)),
      workspace.onDidChangeNotebookDocument(({ notebook }) => this.#changed(notebook)),
      workspace.onDidSaveNotebookDocument((notebook) => void this.#saved(notebook)),
      workspace.onDidCloseNotebookDocument((notebook) => this.#close(notebook)),
    );
    for (const notebook of workspace.notebookDocuments) {
      void this.#open(notebook);
    }
  }

  /** Whether the server has a notebook in the place of its file. */
  has(uri: Uri): boolean {
    return this.#opened.has(uri.toString());
  }

  /** Make the server's edit of a notebook that is open; undefined for an edit of something else. */
  async apply({ documentChanges = [] }: WireEdit): Promise<ApplyWorkspaceEditResult | undefined> {
    const [change, ...others] = documentChanges;
    const opened =
      change && "textDocument" in change && others.length === 0
        ? this.#opened.get(Uri.parse(change.textDocument.uri).toString())
        : undefined;
    if (!(opened && change && "textDocument" in change)) {
      return undefined;
    }
    const { version } = change.textDocument;
    if (version !== null && version !== opened.version) {
      return { applied: false, failureReason: "its cells have changed since" };
    }
    return await this.#edit(opened, edited(opened.text, change.edits as readonly TextEdit[]));
  }

  /** Save a notebook as it was at a version; undefined for what is none, or not open. */
  async save(uri: string, version: number): Promise<boolean | undefined> {
    const opened = this.#opened.get(Uri.parse(uri).toString());
    if (!opened) {
      return undefined;
    }
    const { notebook } = opened;
    if (opened.version !== version || (notebook.isDirty && !(await notebook.save()))) {
      return false;
    }
    await this.#asOnDisk(opened);
    return true;
  }

  dispose(): void {
    for (const { timer } of this.#opened.values()) {
      clearTimeout(timer);
    }
    this.#parts.dispose();
  }

  async #open(notebook: NotebookDocument): Promise<void> {
    const { uri, notebookType } = notebook;
    const text = notebookType === TYPE && uri.scheme === "file" ? await onDisk(uri) : undefined;
    if (text === undefined || !cellsIn(text) || notebook.isClosed || this.has(uri)) {
      return;
    }
    const opened: Opened = {
      ...{ notebook, version: 1, isEditing: false, timer: undefined },
      text: withCells(text, cellsOf(notebook)),
    };
    this.#opened.set(uri.toString(), opened);
    const textDocument = { uri: uri.toString(), languageId: "json", version: 1, text: opened.text };
    this.send("textDocument/didOpen", { textDocument });
  }

  #close({ uri }: NotebookDocument): void {
    const opened = this.#opened.get(uri.toString());
    if (opened) {
      clearTimeout(opened.timer);
      this.#opened.delete(uri.toString());
      this.send("textDocument/didClose", { textDocument: { uri: uri.toString() } });
    }
  }

  /** It is told before VS Code calls the notebook unsaved. */
  #changed(notebook: NotebookDocument): void {
    const opened = this.#opened.get(notebook.uri.toString());
    if (!opened || opened.isEditing) {
      return;
    }
    this.#becomes(opened, withCells(opened.text, cellsOf(notebook)));
    clearTimeout(opened.timer);
    opened.timer = setTimeout(() => {
      if (!notebook.isDirty) {
        void this.#asOnDisk(opened); // read again from there
      }
    }, SAVED_AFTER);
  }

  async #saved({ uri }: NotebookDocument): Promise<void> {
    const opened = this.#opened.get(uri.toString());
    if (opened) {
      await this.#asOnDisk(opened);
      this.send("textDocument/didSave", { textDocument: { uri: uri.toString() } });
    }
  }

  /** VS Code writes the file in its own way, outputs included. */
  async #asOnDisk(opened: Opened): Promise<void> {
    const text = await onDisk(opened.notebook.uri);
    const cells = text === undefined ? undefined : cellsIn(text)?.cells;
    if (text !== undefined && cells && areSame(cells, cellsOf(opened.notebook))) {
      this.#becomes(opened, text);
    }
  }

  #becomes(opened: Opened, text: string): void {
    if (text !== opened.text) {
      opened.text = text;
      opened.version += 1;
      const { uri } = opened.notebook;
      const textDocument = { uri: uri.toString(), version: opened.version };
      this.send("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    }
  }

  async #edit(opened: Opened, text: string): Promise<ApplyWorkspaceEditResult> {
    const { notebook } = opened;
    const [before, after] = [cellsIn(opened.text), cellsIn(text)];
    if (!before || !after || !areSame(before.cells, cellsOf(notebook))) {
      return { applied: false, failureReason: "its cells are not those of a notebook" };
    }
    opened.isEditing = true;
    try {
      const edit = editOf(notebook, { ...before, text: opened.text }, { ...after, text });
      const applied = edit === undefined || (await workspace.applyEdit(edit));
      this.#becomes(opened, withCells(applied ? text : opened.text, cellsOf(notebook)));
      return { applied };
    } finally {
      opened.isEditing = false;
    }
  }
}

/**
 * What makes one text of a notebook the other: its cells with all that they hold, and its metadata;
 * undefined where they are the same.
 */
function editOf(notebook: NotebookDocument, before: Text, after: Text): WorkspaceEdit | undefined {
  const edit = new WorkspaceEdit();
  const edits: NotebookEdit[] = [];
  const besides = besidesCells(after.text);
  if (!isDeepStrictEqual(besidesCells(before.text), besides)) {
    edits.push(NotebookEdit.updateNotebookMetadata({ ...notebook.metadata, ...besides }));
  }
  const { first, oldEnd, newEnd } = difference(before.cells, after.cells, areWhollySame);
  const language =
    notebook.getCells().find(({ kind }) => kind === NotebookCellKind.Code)?.document.languageId ??
    "python";
  const replace = (start: number, end: number, cells: readonly PlacedCell[]) => {
    const data = cells.map((cell) => dataOf(cell, language));
    edits.push(NotebookEdit.replaceCells(new NotebookRange(start, end), data));
  };
  const fresh = after.cells.slice(first, newEnd);
  if (oldEnd !== newEnd) {
    replace(first, oldEnd, fresh);
  }
  for (const [at, cell] of oldEnd === newEnd ? fresh.entries() : []) {
    const index = first + at;
    const was = before.cells[index];
    const { document } = notebook.cellAt(index);
    if (!(was && agreeBesidesSource(was, cell))) {
      replace(index, index + 1, [cell]);
    } else if (was.source !== cell.source) {
      edit.replace(document.uri, new Range(0, 0, document.lineCount, 0), cell.source);
    }
  }
  if (edits.length > 0) {
    edit.set(notebook.uri, edits);
  }
  return edits.length > 0 || edit.size > 0 ? edit : undefined; // the size counts those of texts
}

function besidesCells(text: string): object {
  const { cells: _, ...besides } = JSON.parse(text) as Record<string, unknown>;
  return besides;
}

/** A cell as VS Code's own reader of notebooks makes it. */
function dataOf({ kind, source, id, fields }: PlacedCell, language: string): NotebookCellData {
  const isCode = kind === "code";
  const data = new NotebookCellData(
    kind === "markdown" ? NotebookCellKind.Markup : NotebookCellKind.Code, // raw ones, too
    source,
    isCode ? language : kind,
  );
  const count = isCode ? { execution_count: fields["execution_count"] ?? null } : {};
  data.metadata = { ...(id === undefined ? {} : { id }), metadata: fields["metadata"], ...count };
  const outputs = Array.isArray(fields["outputs"]) ? fields["outputs"] : [];
  data.outputs = outputs.map((output) => outputOf(output as Readonly<Record<string, unknown>>));
  return data;
}

function outputOf(output: Readonly<Record<string, unknown>>): NotebookCellOutput {
  const { output_type: outputType, metadata, execution_count: executionCount } = output;
  const told = { outputType, metadata, executionCount };
  if (outputType === "stream") {
    const make = output["name"] === "stderr" ? "stderr" : "stdout";
    return new NotebookCellOutput([NotebookCellOutputItem[make](whole(output["text"]))], told);
  }
  if (outputType === "error") {
    const [name, message] = [String(output["ename"]), String(output["evalue"])];
    const stack = whole(output["traceback"], "\n");
    const item = NotebookCellOutputItem.error({ name, message, stack });
    return new NotebookCellOutput([item], { ...told, originalError: output });
  }
  const items = Object.entries((output["data"] ?? {}) as object).map(([mime, data]) => {
    const isBinary = /^(image|audio|video)\/(?!svg)/.test(mime);
    const isText = typeof data === "string" || Array.isArray(data);
    const text = isText ? whole(data) : JSON.stringify(data);
    return new NotebookCellOutputItem(Buffer.from(text, isBinary ? "base64" : "utf-8"), mime);
  });
  return new NotebookCellOutput(items, told);
}

function whole(lines: unknown, between = ""): string {
  return Array.isArray(lines) ? lines.join(between) : String(lines ?? "");
}

/** The text after edits, which are all about the text before. */
function edited(text: string, edits: readonly TextEdit[]): string {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  const offset = ({ line, character }: TextEdit["range"]["start"]) =>
    Math.min((starts[line] ?? text.length) + character, text.length);
  const ordered = edits.toSorted(
    (one, other) => offset(other.range.start) - offset(one.range.start),
  );
  return ordered.reduce(
    (now, { range, newText }) =>
      now.slice(0, offset(range.start)) + newText + now.slice(offset(range.end)),
    text,
  );
}

async function onDisk(uri: Uri): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await workspace.fs.readFile(uri));
  } catch {
    return undefined; // it is gone, or in another encoding
  }
}
