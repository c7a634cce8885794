// What runs have changed in files without a review, marked in editors: the user keeps or undoes it, part
// by part, by file or all at once.

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
import { savesEdits } from "../settings.ts";
import { ACTS } from "../wire.ts";
import { ChangeMarks, GOES_BACK, GOES_ON, KEEPS, UNDOES } from "./change-marks.ts";
import { ChangeTracking } from "./change-tracking.ts";
import { ChangedCells, isNotebook, undoCell } from "./changed-cells.ts";
import type { ChangedFile } from "./changed-files.ts";
import type { Part } from "./changed-text.ts";
import type { ChangingTurn } from "./changing-turns.ts";
import { besideChat } from "./columns.ts";
import type { InPlace } from "./in-place.ts";
import type { Remaining } from "./remaining.ts";

const SHOWN_AFTER = 50; // ms without a change

/** Takes back what turns changed in a file, newest first; the server does it. */
export type UndoTurns = (turns: readonly ChangingTurn[]) => Promise<void>;

/**
 * All that waits. `shows` says whether anything is shown at all, or of a session; `failed` gets what went
 * wrong. What was asked `inPlace` stands above its parts.
 */
export class Changes implements CodeLensProvider, Disposable {
  readonly #changed = new EventEmitter<void>();
  readonly #marks = new ChangeMarks();
  readonly #parts: Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** Something else waits than before. */
  readonly onChange = this.#changed.event;
  readonly #tracking: ChangeTracking;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    server: Server,
    memento: Memento,
    private readonly undoTurns: UndoTurns,
    shows: (sessionId?: string) => boolean,
    failed: (error: unknown) => void,
    private readonly inPlace?: InPlace,
  ) {
    this.#tracking = new ChangeTracking(server, memento, shows, failed);
    this.#parts = Disposable.from(
      new ChangedCells((uri) => this.#tracking.get(uri)?.text.parts ?? [], this.#changed.event),
      this.#changed,
      this.#marks,
      this.#tracking,
      this.#tracking.onChange(() => this.#soon()),
      languages.registerCodeLensProvider({ scheme: "file" }, this),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("glossator.edits.showChanges") && !shows()) {
          this.keepAll();
        }
      }),
      window.onDidChangeVisibleTextEditors(() => this.#soon()),
      ...(inPlace ? [inPlace.onChange(() => this.#soon())] : []),
    );
    this.#soon();
  }

  /** The runs of which something waits. */
  get runs(): readonly string[] {
    return [
      ...new Set(this.#tracking.waiting.flatMap(({ turns }) => turns.map(({ turn }) => turn))),
    ];
  }

  /** What is left of turns' changes to files. */
  get remaining(): readonly Remaining[] {
    return this.#tracking.remaining;
  }

  /** The user decides about an edit beforehand: nothing of it waits afterwards. */
  reviewed(sessionId: string, hunks: ReadonlyArray<{ readonly path: string }>): void {
    this.#tracking.reviewed(sessionId, hunks);
  }

  /** Keep a part, by default the one at the cursor; those of a cell of a notebook at once. */
  keep(uri: unknown, which: unknown): void {
    if (Array.isArray(which)) {
      for (const each of which) {
        this.keep(uri, each);
      }
      return;
    }
    const { file, part } = this.#part(uri, which);
    file.text.keep(part);
    if (file.text.waits) {
      this.#tracking.put({ ...file, isWhole: false });
    } else {
      this.#tracking.keep(file);
    }
  }

  /** Bring back the text before a part. */
  async undo(uri: unknown, which: unknown): Promise<void> {
    if (Array.isArray(which)) {
      const { uri: notebook } = this.#file(uri);
      await undoCell(
        notebook,
        which.map((each) => this.#part(uri, each).part),
      );
      return;
    }
    const { file, part } = this.#part(uri, which);
    if (file.isNew && file.text.isWhole) {
      await this.undoFile(uri);
      return;
    }
    await this.#restore(file, [part]);
    this.#tracking.put({ ...file, isWhole: false });
  }

  /** What waits in a file, from above; cells of notebooks are no lines of one. */
  partsOf(given: Uri | string): readonly Part[] {
    const uri = typeof given === "string" ? Uri.parse(given) : given;
    return isNotebook(uri) ? [] : (this.#tracking.get(uri)?.text.parts ?? []);
  }

  /** Keep some of the parts of a file. */
  keepParts(uri: Uri, parts: readonly Part[]): void {
    if (parts.length === this.partsOf(uri).length && parts.length > 0) {
      this.keepFile(uri);
      return;
    }
    for (const part of parts) {
      this.keep(uri, part);
    }
  }

  /** Bring back the text before some of them. */
  async undoParts(uri: Uri, parts: readonly Part[]): Promise<void> {
    if (parts.length === this.partsOf(uri).length && parts.length > 0) {
      await this.undoFile(uri);
    } else if (parts.length > 0) {
      const file = this.#file(uri);
      await this.#restore(file, parts);
      this.#tracking.put({ ...file, isWhole: false });
    }
  }

  /** Keep all of a file, by default of the one that is shown. */
  keepFile(uri: unknown): void {
    this.#tracking.keep(this.#file(uri));
  }

  /** Bring a file back to what it was; a new one goes. */
  async undoFile(uri: unknown): Promise<void> {
    const file = this.#file(uri);
    if (!isNotebook(file.uri)) {
      await workspace.openTextDocument(file.uri); // its parts are known from here on
    }
    if (file.isWhole || isNotebook(file.uri)) {
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
    for (const file of this.#tracking.waiting) {
      if (sessionId === undefined || file.turns.some((turn) => turn.sessionId === sessionId)) {
        this.#tracking.keep(file);
      }
    }
  }

  /** Go to the next part, or the one before, in this file or another one. */
  async go(isNext: boolean): Promise<void> {
    const editor = window.activeTextEditor;
    const here = editor && this.#tracking.get(editor.document.uri);
    const part = here?.text.beside(editor?.selection.active.line ?? 0, isNext);
    if (editor && part) {
      reveal(editor, part);
      return;
    }
    const files = this.#tracking.waiting.sort((one, other) =>
      one.uri.path < other.uri.path ? -1 : 1,
    );
    const ordered = isNext ? files : files.reverse();
    const at = here ? ordered.indexOf(here) + 1 : 0;
    for (const { uri, text } of [...ordered.slice(at), ...ordered.slice(0, at)]) {
      if (isNotebook(uri)) {
        await window.showNotebookDocument(await workspace.openNotebookDocument(uri));
        return;
      }
      const document = await opened(uri);
      const first = isNext ? text.parts[0] : text.parts.at(-1);
      if (!document) {
        this.#tracking.forget(uri); // it went while no window was open
      } else if (first) {
        reveal(await window.showTextDocument(document, besideChat()), first);
        return;
      }
    }
    await inform("No change waits to be kept or undone.");
  }

  provideCodeLenses({ uri }: TextDocument): CodeLens[] {
    const parts = this.partsOf(uri);
    const alone = this.inPlace?.alone(uri, parts) ?? [];
    const own = parts.filter((part) => !alone.includes(part));
    const lenses = own.flatMap((part) => {
      const range = new Range(part.start, 0, part.start, 0);
      const lens = (title: string, command: string, tooltip: string) =>
        new CodeLens(range, { title, command, tooltip, arguments: [uri, part] });
      const place = `${parts.indexOf(part) + 1} of ${parts.length}`;
      const way = `Next Change (${GOES_ON}); ${GOES_BACK} goes back`;
      return [
        lens(
          `$(check) ${ACTS.keep}`,
          "glossator.keepChange",
          `${ACTS.keep} This Change (${KEEPS})`,
        ),
        lens(
          `$(discard) ${ACTS.undo}`,
          "glossator.undoChange",
          `${ACTS.undo} This Change (${UNDOES})`,
        ),
        ...(parts.length > 1
          ? [lens(`$(arrow-down) ${place} (${GOES_ON})`, "glossator.nextChange", way)]
          : []),
      ];
    });
    return [...(this.inPlace?.lenses(uri, parts) ?? []), ...lenses];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#parts.dispose();
  }

  /** What a button is about, or a command in the editor. Throws `UserError`. */
  #file(given: unknown): ChangedFile {
    const named = given instanceof Uri ? given : window.activeTextEditor?.document.uri;
    const uri = named && isNotebook(named) ? Uri.file(named.path) : named;
    const file = uri && this.#tracking.get(uri);
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

  /** What was saved stays saved, unless the user wants it otherwise. */
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
    await this.#tracking.undoing(() => apply(edit, uri));
    const saves = savesEdits();
    if (saves === "always" || (saves === "clean" && wasSaved)) {
      await document.save();
    }
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), SHOWN_AFTER);
  }

  #show(): void {
    for (const editor of window.visibleTextEditors) {
      const { uri } = editor.document;
      const parts = this.partsOf(uri);
      this.inPlace?.settled(uri, parts);
      this.#marks.show(editor, parts, this.inPlace?.shownParts(uri, parts) ?? []);
    }
    const paths = this.#tracking.waiting.map(({ uri }) => uri.fsPath);
    void commands.executeCommand("setContext", "glossator.changedFiles", paths);
    void commands.executeCommand("setContext", "glossator.hasChanges", paths.length > 0);
    this.#changed.fire();
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

/** Undefined if it is gone, or no text. */
async function opened(uri: Uri): Promise<TextDocument | undefined> {
  try {
    return await workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}
