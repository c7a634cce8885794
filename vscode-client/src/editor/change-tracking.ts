// Follows what runs and the user change in files: a run's change waits until it is kept or undone, what
// the user writes does not. What waits outlives the window in the workspace's storage.

import {
  Disposable,
  EventEmitter,
  type Memento,
  type TextDocument,
  type TextDocumentChangeEvent,
  Uri,
  workspace,
} from "vscode";
import type { Server } from "../server/server.ts";
import type { FileBefore } from "../wire.ts";
import { isNotebook, listed, listedNow, typedIn } from "./changed-cells.ts";
import { type ChangedFile, ChangedFiles, type KeptFile } from "./changed-files.ts";
import { ChangedText, type Typed } from "./changed-text.ts";
import { type ChangingTurn, ChangingTurns } from "./changing-turns.ts";
import { textNow } from "./diff.ts";
import { type Remaining, RemainingChanges } from "./remaining.ts";
import { Settled } from "./settled.ts";

const KEPT = "glossator.changes";
const KEPT_REMAINING = "glossator.remaining";
const KEPT_AFTER = 1000; // ms without a change
const UNKNOWN = "\ufffd"; // in what is no UTF-8
const DIRTY_AFTER = 250; // ms after a change that was read from disk, or typed

/** A change of which is not known yet who made it. */
interface Held {
  readonly text: string;
  readonly typed: readonly Typed[];
  readonly timer: NodeJS.Timeout;
}

/** The files that were changed. `shows` says whether any are followed, `failed` gets what went wrong. */
export class ChangeTracking implements Disposable {
  readonly #files: ChangedFiles;
  readonly #remaining: RemainingChanges;
  readonly #turns = new ChangingTurns((turn, isReviewed) => this.#turn(turn, isReviewed));
  readonly #changed = new EventEmitter<void>();
  readonly #parts: Disposable;
  /** Something else waits than before, or is elsewhere. */
  readonly onChange = this.#changed.event;
  readonly #held = new Map<string, Held>(); // by URI
  readonly #listed = new Map<string, string>(); // cells of notebooks as they were last, by URI
  #work: Promise<void> = Promise.resolve();
  #isUndoing = false;

  constructor(
    private readonly server: Server,
    memento: Memento,
    private readonly shows: (sessionId: string) => boolean,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#files = new ChangedFiles(memento.get<readonly KeptFile[]>(KEPT, []), (uri) =>
      Uri.parse(uri),
    );
    this.#remaining = new RemainingChanges(memento.get<readonly Remaining[]>(KEPT_REMAINING, []));
    const keeping = new Settled(
      () => ({ files: this.#files.kept, remaining: this.#remaining.all }),
      ({ files, remaining }) => {
        void memento.update(KEPT, files);
        void memento.update(KEPT_REMAINING, remaining);
      },
      KEPT_AFTER,
    );
    for (const document of workspace.textDocuments) {
      this.#opened(document);
    }
    for (const { uri } of this.waiting) {
      this.#then(() => this.#read(uri)); // it may have changed while no window was open
    }
    const watcher = workspace.createFileSystemWatcher("**/*");
    this.#parts = Disposable.from(
      this.#changed,
      keeping,
      this.onChange(() => keeping.changed()),
      watcher,
      ...[watcher.onDidCreate, watcher.onDidChange].map((onDid) =>
        onDid((uri) => this.#files.get(uri) && this.#then(() => this.#read(uri))),
      ),
      watcher.onDidDelete((uri) => void this.#deleted(uri)),
      workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      workspace.onDidChangeTextDocument((change) => this.#typed(change)),
      workspace.onDidOpenNotebookDocument(({ uri }) => this.#cells(uri)),
      workspace.onDidChangeNotebookDocument(({ notebook }) => this.#cells(notebook.uri)),
      workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) {
          this.#files.rename(oldUri, newUri);
        }
        this.#changed.fire();
      }),
      server.onEvent((event) => this.#turns.told(event)),
      server.onUndone(({ sessionId, turns }) =>
        this.#undone(
          sessionId,
          turns.map(({ turn }) => turn),
        ),
      ),
    );
  }

  /** Those in which something waits. */
  get waiting(): ChangedFile[] {
    return this.#files.waiting;
  }

  /** What is left of turns' changes. */
  get remaining(): readonly Remaining[] {
    return this.#remaining.all;
  }

  get(uri: Uri): ChangedFile | undefined {
    return this.#files.get(uri);
  }

  put(file: ChangedFile): void {
    this.#files.put(file);
    this.#remaining.follow(file);
    this.#changed.fire();
  }

  /** It is not there any more. */
  forget(uri: Uri): void {
    this.#files.delete(uri);
    this.#changed.fire();
  }

  /** All of it is the user's own from now on; what a run that is on does to it later is not. */
  keep(file: ChangedFile): void {
    if (openDocument(file.uri) && this.#goesOn(file.turns)) {
      file.text.keepAll();
      const kept = [...(file.kept ?? []), ...file.turns];
      this.put({ ...file, turns: [], whose: [], kept, isNew: false, isWhole: false });
    } else {
      this.forget(file.uri);
    }
  }

  /** The user decides about an edit beforehand: nothing of it waits afterwards. */
  reviewed(sessionId: string, hunks: ReadonlyArray<{ readonly path: string }>): void {
    this.#turns.review(sessionId, hunks);
  }

  /** What is changed in the meantime brings back texts of before. */
  async undoing(work: () => Promise<void>): Promise<void> {
    this.#isUndoing = true;
    try {
      await work();
    } finally {
      this.#isUndoing = false;
    }
  }

  dispose(): void {
    for (const { timer } of this.#held.values()) {
      clearTimeout(timer);
    }
    this.#parts.dispose();
  }

  #opened(document: TextDocument): void {
    if (!isNotebook(document.uri)) {
      this.#becomes(document.uri, document.getText(), []);
    }
  }

  /** Of a notebook the cells count: what a run edits is a part, as in a text. */
  #cells(uri: Uri): void {
    const now = this.#files.get(uri) ? listedNow(uri) : undefined;
    if (now === undefined) {
      return;
    }
    const last = this.#listed.get(uri.toString());
    this.#listed.set(uri.toString(), now);
    const isRun = this.server.isEditing && this.#turns.areOn && !this.#turns.isReviewed(uri.fsPath);
    const isTyped = last !== undefined && last !== now && !isRun;
    this.#becomes(uri, now, isTyped ? typedIn(last, now) : []);
  }

  /**
   * What the user writes is no part; what a run edits is, and what is read again from disk. An edit of
   * the server's while no run is on undoes or redoes a turn, because the user wants that.
   */
  #typed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const { uri } = document;
    this.#release(uri, document.isDirty);
    if (!this.#files.get(uri) || contentChanges.length === 0 || isNotebook(uri)) {
      return;
    }
    const { isEditing } = this.server;
    const isRun = isEditing && this.#turns.areOn && !this.#turns.isReviewed(uri.fsPath);
    const change = { text: document.getText(), typed: contentChanges };
    if (isRun || this.#isUndoing) {
      this.#becomes(uri, change.text, []);
    } else if (isEditing || document.isDirty || reason !== undefined) {
      this.#becomes(uri, change.text, contentChanges);
    } else {
      const timer = setTimeout(() => this.#release(uri, false), DIRTY_AFTER);
      this.#held.set(uri.toString(), { ...change, timer });
    }
  }

  /** The first change of a saved document is told before VS Code calls that one unsaved. */
  #release(uri: Uri, isTyped: boolean): void {
    const held = this.#held.get(uri.toString());
    if (held) {
      clearTimeout(held.timer);
      this.#held.delete(uri.toString());
      this.#becomes(uri, held.text, isTyped ? held.typed : []);
    }
  }

  #becomes(uri: Uri, now: string, typed: readonly Typed[]): void {
    const file = this.#files.get(uri);
    if (file?.turns.length === 0 && file.kept && !this.#goesOn(file.kept)) {
      this.forget(uri);
    } else if (file) {
      const turns = file.text.waits
        ? file.turns
        : file.turns.filter(({ turn }) => this.#turns.isOn(turn)); // of others nothing waits
      const isMoved = file.text.becomes(now, typed);
      this.put({ ...file, turns, isWhole: file.isWhole && !isMoved });
    }
  }

  #goesOn(turns: readonly ChangingTurn[]): boolean {
    return turns.some(({ turn }) => this.#turns.isOn(turn));
  }

  /** A program that writes a file anew may delete it first, and one that a run made may come back. */
  async #deleted(uri: Uri): Promise<void> {
    const file = this.#files.get(uri);
    if (!file || (await exists(uri))) {
      return;
    }
    if (file.isNew) {
      this.#becomes(uri, "", []);
    } else {
      this.#remaining.unknown(file);
      this.forget(uri);
    }
  }

  /** A file that is in no editor is another one on disk: `git checkout` may have taken its change away. */
  async #read(uri: Uri): Promise<void> {
    if (openDocument(uri) || (isNotebook(uri) && listedNow(uri) !== undefined)) {
      return;
    }
    if (!(await exists(uri))) {
      await this.#deleted(uri);
      return;
    }
    const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
    const now = isNotebook(uri) ? listed(text) : text;
    if (now !== undefined && !now.includes(UNKNOWN)) {
      this.#becomes(uri, now, []);
    }
  }

  /** Of a file that is not open, the text is read: perhaps nothing waits in it any more. */
  #undone(sessionId: string, turns: readonly string[]): void {
    this.#remaining.leave(sessionId, turns);
    const files = this.#files.undone(turns);
    this.#changed.fire();
    this.#then(async () => {
      for (const { uri } of files) {
        const text = await textNow(uri);
        if (text === undefined) {
          await this.#deleted(uri);
        } else if (isNotebook(uri)) {
          this.#becomes(uri, listedNow(uri) ?? listed(text) ?? text, []);
        }
      }
    });
  }

  /** Nothing is shown of what a run changed while that is turned off. */
  #turn(turn: ChangingTurn, isReviewed: boolean): void {
    if (this.shows(turn.sessionId)) {
      this.#then(() => this.#add(turn, isReviewed));
    }
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.failed);
  }

  async #add({ sessionId, turn, path }: ChangingTurn, isReviewed: boolean): Promise<void> {
    const uri = Uri.file(path);
    const known = this.#files.get(uri);
    if (known?.turns.some((each) => each.turn === turn)) {
      return;
    }
    const goesOn = known?.kept?.find((each) => each.turn === turn);
    if (known && goesOn) {
      if (!isReviewed) {
        const whose = [...(known.whose ?? []), goesOn];
        this.#files.changed({ ...known, turns: [...known.turns, goesOn], whose });
        this.#changed.fire();
      }
      return;
    }
    const told = await this.server.run("glossator.fileBefore", { sessionId, turn, path });
    const fresh = { sessionId, turn, path: told.file.path };
    const file = this.#files.get(uri);
    if (file?.text.waits && file.turns.length > 0) {
      const whose = isReviewed
        ? { kept: [...(file.kept ?? []), fresh], isWhole: false } // nothing of it waits
        : { turns: [...file.turns, fresh], whose: [...(file.whose ?? file.turns), fresh] };
      this.#files.changed({ ...file, ...whose });
    } else if (told.before !== null && told.file.change !== "deleted") {
      await this.#begin(told, told.before, fresh, isReviewed);
    }
    this.#changed.fire();
  }

  /** What was reviewed counts as kept; a text that cannot be opened has no marks. */
  async #begin(
    { file }: FileBefore,
    before: string,
    turn: ChangingTurn,
    isReviewed: boolean,
  ): Promise<void> {
    const uri = Uri.parse(file.uri);
    const now = isNotebook(uri)
      ? listedNow(uri)
      : (openDocument(uri)?.getText() ?? (isReviewed ? await textNow(uri) : undefined));
    if (isReviewed && now === undefined) {
      return;
    }
    const was = isNotebook(uri) ? (listed(before) ?? before) : before;
    const text = new ChangedText(isReviewed ? (now ?? "") : was);
    if (now !== undefined) {
      text.becomes(now);
    }
    const whose = isReviewed ? { turns: [], kept: [turn] } : { turns: [turn], whose: [turn] };
    const isNew = file.change === "created" && !isReviewed;
    this.#files.changed({ uri, text, ...whose, isNew, isWhole: !isReviewed });
  }
}

function openDocument(uri: Uri): TextDocument | undefined {
  return workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
}

async function exists(uri: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
