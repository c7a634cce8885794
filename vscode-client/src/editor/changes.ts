// What runs have changed in files without a review, marked in editors until the user keeps or undoes
// it. Marks outlive the window: what they stand on is kept in the workspace's storage.

import {
  CodeLens,
  type CodeLensProvider,
  commands,
  Disposable,
  EventEmitter,
  languages,
  type Memento,
  Range,
  Selection,
  type TextDocument,
  type TextDocumentChangeEvent,
  type TextEditor,
  TextEditorRevealType,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from "vscode";
import { inform } from "../notices.ts";
import { UserError } from "../result.ts";
import type { Server } from "../server/server.ts";
import type { FileBefore } from "../wire.ts";
import { ChangeMarks } from "./change-marks.ts";
import { ChangedText, type Part, type Typed } from "./changed-text.ts";
import { type ChangingTurn, ChangingTurns } from "./changing-turns.ts";
import { besideChat } from "./columns.ts";
import { textNow } from "./diff.ts";
import { Settled } from "./settled.ts";

const KEPT = "glossator.changes";
const SHOWN_AFTER = 50; // ms without a change
const KEPT_AFTER = 1000; // ms without a change
const DIRTY_AFTER = 250; // ms after a change that was read from disk, or typed

/** A file, and the turns that changed it, oldest first; their paths are as the server names them. */
interface ChangedFile {
  readonly uri: Uri;
  readonly text: ChangedText;
  readonly turns: readonly ChangingTurn[];
  /** Whether the first of the turns made the file. */
  readonly isNew: boolean;
  /** Whether all that waits is all that the turns did: then the server can take it back. */
  readonly isWhole: boolean;
}

/** A file as it is kept. */
type Kept = Omit<ChangedFile, "uri" | "text"> & { readonly uri: string; readonly before: string };

/** A change of which is not known yet who made it. */
interface Held {
  readonly text: string;
  readonly typed: readonly Typed[];
  readonly timer: NodeJS.Timeout;
}

/** Takes back what turns changed in a file, newest first; the server does it. */
export type UndoTurns = (turns: readonly ChangingTurn[]) => Promise<void>;

/** All that waits. `shows` says whether anything is shown at all, `failed` hears of failures. */
export class Changes implements CodeLensProvider, Disposable {
  readonly #files = new Map<string, ChangedFile>(); // by URI
  readonly #turns = new ChangingTurns((turn, isReviewed) => this.#turn(turn, isReviewed));
  readonly #changed = new EventEmitter<void>();
  readonly #marks = new ChangeMarks();
  readonly #parts: Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** Something else waits than before. */
  readonly onChange = this.#changed.event;
  readonly #keeping: Settled<readonly Kept[]>;
  readonly #held = new Map<string, Held>(); // by URI
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isUndoing = false;

  constructor(
    private readonly server: Server,
    memento: Memento,
    private readonly undoTurns: UndoTurns,
    private readonly shows: () => boolean,
    private readonly failed: (error: unknown) => void,
  ) {
    for (const { uri, before, ...rest } of memento.get<readonly Kept[]>(KEPT, [])) {
      this.#files.set(uri, { uri: Uri.parse(uri), text: new ChangedText(before), ...rest });
    }
    this.#keeping = new Settled(
      () => this.#kept,
      (kept) => void memento.update(KEPT, kept),
      KEPT_AFTER,
    );
    for (const document of workspace.textDocuments) {
      this.#opened(document);
    }
    const watcher = workspace.createFileSystemWatcher("**/*", true, true, false);
    this.#parts = Disposable.from(
      this.#changed,
      this.#marks,
      this.#keeping,
      watcher,
      watcher.onDidDelete((uri) => void this.#deleted(uri)),
      languages.registerCodeLensProvider({ scheme: "file" }, this),
      workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      workspace.onDidChangeTextDocument((change) => this.#typed(change)),
      workspace.onDidRenameFiles(({ files }) => this.#renamed(files)),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("glossator.edits.showChanges") && !shows()) {
          this.keepAll();
        }
      }),
      window.onDidChangeVisibleTextEditors(() => this.#soon()),
      server.onEvent((event) => this.#turns.told(event)),
      server.onUndone(({ turns }) => this.#undone(turns.map(({ turn }) => turn))),
    );
    this.#soon();
  }

  /** The runs of which something waits. */
  get runs(): readonly string[] {
    return [...new Set(this.#waiting.flatMap(({ turns }) => turns.map(({ turn }) => turn)))];
  }

  /** The user decides about an edit beforehand: nothing of it waits afterwards. */
  reviewed(sessionId: string, hunks: ReadonlyArray<{ readonly path: string }>): void {
    this.#turns.review(sessionId, hunks);
  }

  /** Keep a part, by default the one at the cursor. */
  keep(uri: unknown, which: unknown): void {
    const { file, part } = this.#part(uri, which);
    file.text.keep(part);
    this.#put({ ...file, isWhole: false });
  }

  /** Bring back the text before a part. */
  async undo(uri: unknown, which: unknown): Promise<void> {
    const { file, part } = this.#part(uri, which);
    if (file.isNew && file.text.isWhole) {
      await this.undoFile(uri);
      return;
    }
    await this.#restore(file, [part]);
    this.#put({ ...file, isWhole: false });
  }

  /** Keep all of a file, by default of the one that is shown. */
  keepFile(uri: unknown): void {
    this.#files.delete(this.#file(uri).uri.toString());
    this.#soon();
  }

  /** Bring a file back to what it was; a new one goes. */
  async undoFile(uri: unknown): Promise<void> {
    const file = this.#file(uri);
    await workspace.openTextDocument(file.uri); // its parts are known from here on
    if (file.isWhole) {
      await this.undoTurns(file.turns.toReversed());
    } else if (file.isNew && file.text.before === "") {
      const edit = new WorkspaceEdit();
      edit.deleteFile(file.uri, { ignoreIfNotExists: true });
      await apply(edit, file.uri);
    } else {
      await this.#restore(file, file.text.parts);
    }
  }

  /** Keep all that waits, of all sessions or of one. */
  keepAll(sessionId?: string): void {
    for (const [name, { turns }] of this.#files) {
      if (sessionId === undefined || turns.some((turn) => turn.sessionId === sessionId)) {
        this.#files.delete(name);
      }
    }
    this.#soon();
  }

  /** Go to the next part, or the one before, in this file or another one. */
  async go(isNext: boolean): Promise<void> {
    const editor = window.activeTextEditor;
    const here = editor && this.#files.get(editor.document.uri.toString());
    const part = here?.text.beside(editor?.selection.active.line ?? 0, isNext);
    if (editor && part) {
      reveal(editor, part);
      return;
    }
    const files = this.#waiting.sort((one, other) => (one.uri.path < other.uri.path ? -1 : 1));
    const ordered = isNext ? files : files.reverse();
    const at = here ? ordered.indexOf(here) + 1 : 0;
    for (const { uri, text } of [...ordered.slice(at), ...ordered.slice(0, at)]) {
      const document = await workspace.openTextDocument(uri);
      const first = isNext ? text.parts[0] : text.parts.at(-1);
      if (first) {
        reveal(await window.showTextDocument(document, besideChat()), first);
        return;
      }
    }
    await inform("No change waits to be kept or undone.");
  }

  provideCodeLenses({ uri }: TextDocument): CodeLens[] {
    const file = this.#files.get(uri.toString());
    return (file?.text.parts ?? []).flatMap((part) => {
      const range = new Range(part.start, 0, part.start, 0);
      const lens = (title: string, command: string) =>
        new CodeLens(range, { title, command, arguments: [uri, part] });
      return [
        lens("$(check) Keep", "glossator.keepChange"),
        lens("$(discard) Undo", "glossator.undoChange"),
      ];
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const { timer } of this.#held.values()) {
      clearTimeout(timer);
    }
    this.#parts.dispose();
  }

  get #waiting(): ChangedFile[] {
    return [...this.#files.values()].filter(({ text }) => text.waits);
  }

  /** What a button is about, or a command in the editor. Throws `UserError`. */
  #file(given: unknown): ChangedFile {
    const uri = given instanceof Uri ? given : window.activeTextEditor?.document.uri;
    const file = this.#files.get(uri?.toString() ?? "");
    if (!file?.text.waits) {
      throw new UserError("Nothing in this file waits to be kept or undone.");
    }
    return file;
  }

  /** A code lens knows its part, which may have moved since. */
  #part(uri: unknown, which: unknown): { readonly file: ChangedFile; readonly part: Part } {
    const file = this.#file(uri);
    const cursor = window.activeTextEditor?.selection.active.line ?? 0;
    const part = isPart(which) ? file.text.same(which) : file.text.at(cursor);
    if (!part) {
      throw new UserError("This part has just changed, so nothing was done. Try again.");
    }
    return { file, part };
  }

  /** What was saved stays saved. */
  async #restore({ uri, text }: ChangedFile, parts: readonly Part[]): Promise<void> {
    const document = await workspace.openTextDocument(uri);
    const wasSaved = !document.isDirty;
    const edit = new WorkspaceEdit();
    for (const part of parts) {
      const { range, text: before } = text.undoing(part);
      const { start, end } = range;
      edit.replace(
        uri,
        new Range(start.line, start.character, end.line, end.character),
        before, // VS Code gives its lines the ends of the document's
      );
    }
    this.#isUndoing = true;
    try {
      await apply(edit, uri);
    } finally {
      this.#isUndoing = false;
    }
    if (wasSaved) {
      await document.save();
    }
  }

  #put(file: ChangedFile): void {
    this.#files.set(file.uri.toString(), file);
    this.#soon();
  }

  #opened(document: TextDocument): void {
    const file = this.#files.get(document.uri.toString());
    if (file) {
      file.text.becomes(document.getText());
      this.#soon();
    }
  }

  /** What the user writes is no part; what a run edits is, and what is read again from disk. */
  #typed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const name = document.uri.toString();
    this.#release(name, document.isDirty);
    if (!this.#files.has(name) || contentChanges.length === 0) {
      return;
    }
    const isRun = this.server.isEditing && !this.#turns.isReviewed(document.uri.fsPath);
    const change = { text: document.getText(), typed: contentChanges };
    if (isRun || this.#isUndoing) {
      this.#becomes(name, change.text, []);
    } else if (document.isDirty || reason !== undefined) {
      this.#becomes(name, change.text, contentChanges);
    } else {
      const timer = setTimeout(() => this.#release(name, false), DIRTY_AFTER);
      this.#held.set(name, { ...change, timer });
    }
  }

  /** The first change of a saved document is told before VS Code calls that one unsaved. */
  #release(name: string, isTyped: boolean): void {
    const held = this.#held.get(name);
    if (held) {
      clearTimeout(held.timer);
      this.#held.delete(name);
      this.#becomes(name, held.text, isTyped ? held.typed : []);
    }
  }

  #becomes(name: string, now: string, typed: readonly Typed[]): void {
    const file = this.#files.get(name);
    if (file) {
      const isMoved = file.text.becomes(now, typed);
      this.#put(isMoved ? { ...file, isWhole: false } : file);
    }
  }

  #renamed(files: ReadonlyArray<{ readonly oldUri: Uri; readonly newUri: Uri }>): void {
    for (const { oldUri, newUri } of files) {
      for (const [name, file] of this.#files) {
        const isBelow = file.uri.path.startsWith(`${oldUri.path}/`);
        if (isBelow || file.uri.path === oldUri.path) {
          const path = newUri.path + file.uri.path.slice(oldUri.path.length);
          this.#files.delete(name);
          this.#put({ ...file, uri: newUri.with({ path }), isWhole: false });
        }
      }
    }
  }

  /** A program that writes a file anew may delete it first. */
  async #deleted(uri: Uri): Promise<void> {
    if (this.#files.has(uri.toString()) && !(await exists(uri))) {
      this.#files.delete(uri.toString());
      this.#soon();
    }
  }

  #undone(turns: readonly string[]): void {
    for (const file of this.#files.values()) {
      if (file.isWhole && file.turns.some(({ turn }) => turns.includes(turn))) {
        this.#put({ ...file, isWhole: false });
      }
    }
  }

  /** Nothing is shown of what a run changed while that is turned off. */
  #turn(turn: ChangingTurn, isReviewed: boolean): void {
    if (this.shows()) {
      this.#work = this.#work.then(() => this.#add(turn, isReviewed)).catch(this.failed);
    }
  }

  async #add({ sessionId, turn, path }: ChangingTurn, isReviewed: boolean): Promise<void> {
    const name = Uri.file(path).toString();
    if (this.#files.get(name)?.turns.some((each) => each.turn === turn)) {
      return;
    }
    const told = await this.server.run("glossator.fileBefore", { sessionId, turn, path });
    const fresh = { sessionId, turn, path: told.file.path };
    const file = this.#files.get(name);
    if (file) {
      this.#put({ ...file, turns: [...file.turns, fresh] });
    } else if (told.before !== null && told.file.change !== "deleted") {
      await this.#begin(told, told.before, fresh, isReviewed);
    }
  }

  /** What was reviewed counts as it is; a text that cannot be opened has no marks. */
  async #begin(
    { file }: FileBefore,
    before: string,
    turn: ChangingTurn,
    isReviewed: boolean,
  ): Promise<void> {
    const uri = Uri.parse(file.uri);
    const open = workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
    const now = open?.getText() ?? (isReviewed ? await textNow(uri) : undefined);
    const text = new ChangedText(isReviewed ? (now ?? "") : before);
    if (now !== undefined) {
      text.becomes(now);
    }
    const isNew = file.change === "created" && !isReviewed;
    this.#put({ uri, text, turns: [turn], isNew, isWhole: !isReviewed });
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), SHOWN_AFTER);
  }

  #show(): void {
    for (const editor of window.visibleTextEditors) {
      this.#marks.show(editor, this.#files.get(editor.document.uri.toString())?.text.parts ?? []);
    }
    const paths = this.#waiting.map(({ uri }) => uri.fsPath);
    void commands.executeCommand("setContext", "glossator.changedFiles", paths);
    void commands.executeCommand("setContext", "glossator.hasChanges", paths.length > 0);
    this.#changed.fire();
    this.#keeping.changed();
  }

  get #kept(): readonly Kept[] {
    return this.#waiting.map(({ uri, text, turns, isNew, isWhole }) => {
      return { uri: uri.toString(), before: text.before, turns, isNew, isWhole };
    });
  }
}

function isPart(given: unknown): given is Part {
  return Array.isArray((given as Part | undefined)?.before);
}

function reveal(editor: TextEditor, { start, end }: Part): void {
  const line = Math.min(start, editor.document.lineCount - 1);
  editor.selection = new Selection(line, 0, line, 0);
  const range = new Range(line, 0, Math.max(line, end - 1), 0);
  editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Throws `UserError` where the editor does not take it. */
async function apply(edit: WorkspaceEdit, uri: Uri): Promise<void> {
  if (!(await workspace.applyEdit(edit))) {
    const name = workspace.asRelativePath(uri);
    throw new UserError(`${name} cannot be written to, so nothing was undone. Look at the file.`);
  }
}

async function exists(uri: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
