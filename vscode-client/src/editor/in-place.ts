// Edits that the user asks for at lines of a file, and sees there: what was asked stands above the lines
// while the model works and until its edit is kept or undone. Each place has a conversation of its own,
// which asking there again continues.

import {
  CodeLens,
  commands,
  Disposable,
  EventEmitter,
  type OverviewRulerLane,
  Range,
  type TextDocumentChangeEvent,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";
import { Conversation } from "../chat/conversation.ts";
import { labelled, shown, shownText } from "../shown.ts";
import { ofTool } from "../tools.ts";
import { ACTS, type Event, type Review, type ReviewRequest } from "../wire.ts";
import { KEEPS, UNDOES } from "./change-marks.ts";
import type { Part } from "./changed-text.ts";
import { Place } from "./place.ts";

const MOST_PLACES = 30;
const WORDS_CHARACTERS = 70; // of what was asked, in a line above the code
const SAID_CHARACTERS = 40; // of what was answered
const VERBS: Readonly<Record<string, string>> = {
  Read: "reads",
  Grep: "searches",
  Glob: "searches",
  Search: "searches",
  Symbols: "looks up names",
  Edit: "edits",
  MultiEdit: "edits",
  NotebookEdit: "edits",
  Write: "writes",
  Bash: "runs a command",
};

/** What is asked at lines (from 0, inclusive); `before` is continued. */
export interface PlaceQuestion {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
  readonly words: string;
  readonly runId: string;
  /** Parts of the file that wait already. */
  readonly earlier: readonly Part[];
  readonly before: PlaceEdit | undefined;
  /** Where it is asked, if not in a conversation of its own. */
  readonly there: Conversation | undefined;
  readonly stop: () => void;
}

/** What was asked at a place, and what became of it. */
export interface PlaceEdit
  extends Omit<PlaceQuestion, "uri" | "first" | "last" | "before" | "there"> {
  readonly place: Place;
  readonly conversation: Conversation;
  /** What the run does now; undefined once it is over. */
  step: string | undefined;
  /** What it said at the end, where it changed nothing; "" before. */
  said: string;
  /** Whether it is shown: it has not been kept, undone or closed. */
  isOpen: boolean;
  /** Whether lines of it have waited to be kept or undone. */
  hadParts: boolean;
}

/** All of them, the newest at the end. */
export class InPlace implements Disposable {
  #edits: readonly PlaceEdit[] = [];
  readonly #changed = new EventEmitter<void>();
  readonly #working = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.rangeHighlightBackground"),
    borderColor: new ThemeColor("progressBar.background"),
    borderStyle: "dotted",
    borderWidth: "0 0 0 3px",
    overviewRulerColor: new ThemeColor("progressBar.background"),
    overviewRulerLane: 1 as OverviewRulerLane.Left,
  });
  readonly #parts = Disposable.from(
    this.#changed,
    this.#working,
    workspace.onDidChangeTextDocument((change) => this.#typed(change)),
    window.onDidChangeActiveTextEditor(() => this.show()),
    window.onDidChangeVisibleTextEditors(() => this.show()),
  );
  /** Something else stands above lines than before. */
  readonly onChange = this.#changed.event;

  /** The user asks. */
  begin({ uri, first, last, before, there, ...asked }: PlaceQuestion): PlaceEdit {
    const edit: PlaceEdit = {
      ...asked,
      place: new Place(Uri.parse(uri), first, last),
      conversation: there ?? before?.conversation ?? new Conversation(),
      step: "begins",
      said: "",
      isOpen: true,
      hadParts: false,
    };
    const others = this.#edits.filter((each) => each !== before);
    this.#edits = [...others, edit].slice(-MOST_PLACES);
    this.show();
    return edit;
  }

  /** Its run is over; `said` is why nothing was changed, "" if something was. */
  over(edit: PlaceEdit, said: string): void {
    edit.step = undefined;
    edit.said = said;
    this.show();
  }

  /** Nothing of it is shown any more; its conversation is continued at its lines. */
  close(edit: PlaceEdit): void {
    edit.isOpen = false;
    this.show();
  }

  /** The newest one whose lines reach these. */
  at(uri: string, first: number, last: number): PlaceEdit | undefined {
    return this.#of(Uri.parse(uri)).findLast(
      ({ place }) => place.first <= last && first <= place.last,
    );
  }

  /** The one of a file that a key is about: at the cursor, else the newest that is shown. */
  shownAt(uri: Uri, line: number): PlaceEdit | undefined {
    const open = this.#open(uri);
    return open.findLast(({ place }) => place.first <= line && line <= place.last) ?? open.at(-1);
  }

  /** By the id of its run. */
  run(runId: unknown): PlaceEdit | undefined {
    return this.#edits.find((each) => each.runId === runId);
  }

  /** Whether a session is of a place. */
  has(sessionId: string): boolean {
    return this.#edits.some(({ conversation }) => conversation.id === sessionId);
  }

  /**
   * The answer to a review of an edit of the very file that the user asked about: it is made, and shown
   * there. Undefined where the user is to decide beforehand.
   */
  review({ sessionId, hunks }: ReviewRequest): Review | undefined {
    const edit = this.#edits.findLast(({ conversation }) => conversation.id === sessionId);
    const isHere =
      edit?.step !== undefined &&
      hunks.every(({ path, kind }) => {
        return kind === "edit" && Uri.file(path).toString() === edit.place.uri.toString();
      });
    return isHere ? { accepted: hunks.map(({ id }) => id) } : undefined;
  }

  /** An event of any run. */
  told(event: Event): void {
    const edit = this.run(event.runId);
    if (edit?.step === undefined) {
      return;
    }
    const step = stepOf(event);
    if (step !== undefined && step !== edit.step) {
      edit.step = step;
      this.show();
    }
  }

  /** The parts of a file that came with an edit. */
  partsOf({ earlier }: PlaceEdit, parts: readonly Part[]): readonly Part[] {
    return parts.filter((part) => !earlier.some((each) => isSame(each, part)));
  }

  /** Parts that are all that came with an edit that is shown: what stands above it is about them. */
  alone(uri: Uri, parts: readonly Part[]): readonly Part[] {
    const theirs = this.#open(uri).map((edit) => this.partsOf(edit, parts));
    return theirs.flatMap((each) => (each.length === 1 ? each : []));
  }

  /** All parts that came with edits that are shown. */
  shownParts(uri: Uri, parts: readonly Part[]): readonly Part[] {
    return this.#open(uri).flatMap((edit) => this.partsOf(edit, parts));
  }

  /** What stands above lines of a file, whose `parts` wait. */
  lenses(uri: Uri, parts: readonly Part[]): CodeLens[] {
    return this.#open(uri).flatMap((edit) => lensesOf(edit, this.partsOf(edit, parts)));
  }

  /** Edits of which nothing waits any more are shown no longer. */
  settled(uri: Uri, parts: readonly Part[]): void {
    for (const edit of this.#of(uri)) {
      const waits = this.partsOf(edit, parts).length > 0;
      edit.isOpen &&= waits || !edit.hadParts || edit.step !== undefined;
      edit.hadParts ||= waits;
    }
  }

  /** Draw what changed. */
  show(): void {
    for (const editor of window.visibleTextEditors) {
      const works = this.#of(editor.document.uri).filter(({ step }) => step !== undefined);
      const last = editor.document.lineCount - 1;
      const ranges = works.map(
        ({ place }) => new Range(Math.min(place.first, last), 0, Math.min(place.last, last), 0),
      );
      editor.setDecorations(this.#working, ranges);
    }
    const here = window.activeTextEditor?.document.uri;
    const isAtWork = here && this.#of(here).some(({ step }) => step !== undefined);
    const paths = this.#edits
      .filter(({ isOpen, step }) => isOpen && step === undefined)
      .map(({ place }) => place.uri.fsPath);
    void commands.executeCommand("setContext", "glossator.worksInPlace", isAtWork === true);
    void commands.executeCommand("setContext", "glossator.editedInPlace", paths);
    this.#changed.fire();
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #of(uri: Uri): readonly PlaceEdit[] {
    return this.#edits.filter(({ place }) => place.uri.toString() === uri.toString());
  }

  #open(uri: Uri): readonly PlaceEdit[] {
    return this.#of(uri).filter(({ isOpen }) => isOpen);
  }

  #typed({ document, contentChanges }: TextDocumentChangeEvent): void {
    for (const { place } of this.#of(document.uri)) {
      for (const { range, text } of contentChanges) {
        place.changed(range.start.line, range.end.line, text.split("\n").length - 1);
      }
    }
  }
}

/** The words first; then what can be done; last, since it may be cut off, why nothing was changed. */
function lensesOf(edit: PlaceEdit, parts: readonly Part[]): CodeLens[] {
  const { place, words, step, said, runId } = edit;
  const line = step === undefined ? (parts[0]?.start ?? place.first) : place.first;
  const range = new Range(line, 0, line, 0);
  const lens = (title: string, command: string, tooltip = "") =>
    new CodeLens(range, { title, command, tooltip, arguments: [runId] });
  const asked = `You asked: “${cut(words, WORDS_CHARACTERS)}”`;
  if (step !== undefined) {
    return [
      lens(`$(loading~spin) ${asked} — ${step}…`, "glossator.showInPlace"),
      lens(`$(debug-stop) ${ACTS.stop} (Esc)`, "glossator.stopInPlace"),
    ];
  }
  const again = lens("$(edit) Change the Words…", "glossator.changeInPlace");
  const chat = lens("$(comment-discussion) Go On in Chat", "glossator.showInPlace");
  if (parts.length === 0) {
    const why = `Nothing was changed: ${cut(said, SAID_CHARACTERS)}`;
    return [
      lens(`$(info) ${asked}`, "glossator.showInPlace", shownText(said)),
      lens("$(close) Close", "glossator.keepInPlace"),
      again,
      chat,
      ...(said ? [lens(why, "glossator.showInPlace", shownText(said))] : []),
    ];
  }
  const all = parts.length > 1 ? ` All ${parts.length}` : "";
  return [
    lens(`$(sparkle) ${asked}`, "glossator.showInPlace"),
    lens(`$(check) ${ACTS.keep}${all}`, "glossator.keepInPlace", KEEPS),
    lens(`$(discard) ${ACTS.undo}${all}`, "glossator.undoInPlace", UNDOES),
    again,
    chat,
  ];
}

function cut(text: string, most: number): string {
  const line = labelled(text.trim().split("\n").join(" "));
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function isSame(one: Part, other: Part): boolean {
  return (
    one.end - one.start === other.end - other.start &&
    one.before.join("\n") === other.before.join("\n")
  );
}

/** What a run does, in a word or two; undefined for events that say nothing new. */
function stepOf(event: Event): string | undefined {
  switch (event.kind) {
    case "run.started":
    case "tool.finished":
    case "thinking.delta":
      return "thinks";
    case "text.delta":
      return "answers";
    case "tool.started": {
      const { path } = event.arguments;
      const verb = ofTool(VERBS, event.tool) ?? `uses ${labelled(event.tool)}`;
      return typeof path === "string" && ofTool(VERBS, event.tool)
        ? `${verb} ${shown(path)}`
        : verb;
    }
    default:
      return undefined;
  }
}
