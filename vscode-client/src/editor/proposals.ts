// Edits that wait for the user, as VS Code's diff: taken or left there, whole or in parts. The right
// side is what the file would hold; it cannot be written to.

import { basename } from "node:path";
import {
  CodeLens,
  type CodeLensProvider,
  commands,
  Disposable,
  EventEmitter,
  languages,
  Range,
  TabInputTextDiff,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode";
import { UserError } from "../result.ts";
import { shown } from "../shown.ts";
import { ACTS, BECAME, type EditPlan } from "../wire.ts";
import { isText } from "./chips.ts";
import { besideChat } from "./columns.ts";
import { openDiff, textNow } from "./diff.ts";
import { type LeftOut, PartsOfEdit } from "./parts.ts";

const SCHEME = "glossator-proposal"; // the manifest has it, too
const BEFORE = "before"; // the query of the left side
const QUIET = 1500; // ms without a key, before a diff takes the place of what is typed in

/** How the user answers an edit: it is taken, but for the parts that are left out, or rejected. */
export interface Deciding extends LeftOut {
  readonly decide: (take: boolean) => void;
}

/** An edit that can be looked at, until it is disposed of. */
export interface Proposal extends Disposable {
  /** Other parts are left out than before: draw it again. */
  changed(): void;
  /** Show it, where the cursor goes to it. */
  open(): Promise<void>;
}

/** All that is proposed. `opens` says whether a diff opens by itself, `failed` gets what went wrong. */
export class Proposals implements CodeLensProvider, Disposable {
  readonly #proposed = new Map<string, ProposedEdit>(); // by the path of its documents
  readonly #lensesChanged = new EventEmitter<void>();
  readonly #textChanged = new EventEmitter<Uri>();
  readonly #parts: Disposable;
  readonly onDidChangeCodeLenses = this.#lensesChanged.event;
  #number = 0;
  #typed = 0; // when somebody last wrote in an editor, ms

  constructor(
    private readonly opens: () => boolean,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#parts = Disposable.from(
      this.#lensesChanged,
      this.#textChanged,
      languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.#textChanged.event,
        provideTextDocumentContent: (uri) => this.#proposed.get(uri.path)?.textOf(uri) ?? "",
      }),
      workspace.onDidChangeTextDocument(({ document }) => this.#changed(document)),
    );
  }

  /**
   * Offer an edit. One of several files, of names alone, or that is taken as one, is shown and
   * decided about elsewhere.
   */
  propose(plan: EditPlan, deciding: Deciding): Proposal {
    const paths = new Set(plan.hunks.map(({ path }) => path));
    const [path] = paths;
    const isNames = plan.hunks.some(({ kind }) => kind === "rename");
    if (!path || paths.size > 1 || isNames || plan.asOne) {
      const nothing = () => undefined;
      return Object.assign(new Disposable(nothing), {
        open: () => openDiff(plan),
        changed: nothing,
      });
    }
    this.#number += 1;
    const place = `/${this.#number}/${basename(path)}`;
    const edit = new ProposedEdit(plan, path, place, deciding);
    this.#proposed.set(place, edit);
    const gone = new Disposable(() => {
      clearTimeout(edit.timer);
      this.#proposed.delete(place);
      edit.close().catch(this.failed);
    });
    if (this.opens()) {
      this.#openWhenQuiet(edit);
    }
    return Object.assign(gone, {
      open: () => edit.open(false),
      changed: () => this.#redraw(edit.right),
    });
  }

  /** Take all that is not left out, or reject the edit: the one that is shown. */
  settle(uri: unknown, take: boolean): void {
    this.#edit(uri).settle(take);
  }

  /** Take a part or leave it out, by its id, or the one at the cursor. */
  settlePart(uri: unknown, id: unknown, take: boolean): void {
    const edit = this.#edit(uri);
    const cursor = window.activeTextEditor?.selection.active.line ?? 0;
    edit.settlePart(typeof id === "string" ? id : edit.parts.at(cursor, edit.text), take);
    this.#redraw(edit.right);
  }

  provideCodeLenses({ uri }: TextDocument): CodeLens[] {
    const edit = this.#proposed.get(uri.path);
    return edit && uri.query !== BEFORE ? edit.lenses() : [];
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** What a button is about, or a key in the editor. Throws `UserError`. */
  #edit(given: unknown): ProposedEdit {
    const uri = given instanceof Uri ? given : window.activeTextEditor?.document.uri;
    const edit = uri?.scheme === SCHEME ? this.#proposed.get(uri.path) : undefined;
    if (!edit) {
      throw new UserError("No edit waits here. Open the diff of one that waits for your answer.");
    }
    return edit;
  }

  #openWhenQuiet(edit: ProposedEdit): void {
    const wait = Math.max(this.#typed + QUIET - Date.now(), 0);
    edit.timer = setTimeout(() => {
      if (Date.now() < this.#typed + QUIET) {
        this.#openWhenQuiet(edit);
      } else {
        edit.open(true).catch(this.failed);
      }
    }, wait);
  }

  #changed(document: TextDocument): void {
    if (!isText(document.uri)) {
      return;
    }
    if (document === window.activeTextEditor?.document) {
      this.#typed = Date.now();
    }
    for (const edit of this.#proposed.values()) {
      if (document.uri.fsPath === edit.path) {
        edit.text = document.getText();
        this.#redraw(edit.left, edit.right);
      }
    }
  }

  #redraw(...sides: readonly Uri[]): void {
    for (const side of sides) {
      this.#textChanged.fire(side);
    }
    this.#lensesChanged.fire();
  }
}

/** An edit of one file. */
class ProposedEdit {
  readonly parts: PartsOfEdit;
  readonly left: Uri;
  readonly right: Uri;
  /** What the file holds now; undefined without a file. */
  text: string | undefined;
  timer: NodeJS.Timeout | undefined;
  #gone = false;

  constructor(
    private readonly plan: EditPlan,
    readonly path: string,
    place: string,
    private readonly deciding: Deciding,
  ) {
    this.parts = new PartsOfEdit(plan.hunks, deciding);
    this.left = Uri.from({ scheme: SCHEME, path: place, query: BEFORE });
    this.right = Uri.from({ scheme: SCHEME, path: place });
  }

  textOf({ query }: Uri): string {
    const { before, after } = this.parts.sides(this.text);
    return query === BEFORE ? before : after;
  }

  async open(preserveFocus: boolean): Promise<void> {
    clearTimeout(this.timer);
    this.text = await textNow(Uri.file(this.path));
    const title = `${shown(this.plan.label)} (proposed)`;
    const options = { preview: false, preserveFocus, viewColumn: besideChat() };
    await commands.executeCommand("vscode.diff", this.left, this.right, title, options);
    if (this.#gone) {
      await this.close();
    }
  }

  async close(): Promise<void> {
    this.#gone = true;
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter(
      ({ input }) =>
        input instanceof TabInputTextDiff && input.modified.toString() === this.right.toString(),
    );
    await window.tabGroups.close(ours, true);
  }

  settle(take: boolean): void {
    this.deciding.decide(take);
  }

  settlePart(id: string | undefined, take: boolean): void {
    this.parts.decide(id ?? "", take);
    if (this.parts.decided) {
      this.settle(true);
    }
  }

  lenses(): CodeLens[] {
    const parts = this.parts.places(this.text);
    return parts.flatMap(({ id, line, taken }, at) => {
      const range = new Range(line, 0, line, 0);
      const which = parts.length > 1 ? `Part ${at + 1} of ${parts.length}` : "";
      const lens = (title: string, command: string) =>
        new CodeLens(range, { title, command, arguments: [this.right, id] });
      const said =
        taken === undefined ? which : `${which}: ${taken ? BECAME.accepted : BECAME.rejected}`;
      const part = which ? " This Part" : "";
      return [
        ...(taken === true ? [] : [lens(`$(check) ${ACTS.accept}${part}`, "glossator.acceptPart")]),
        ...(taken === false
          ? []
          : [lens(`$(close) ${ACTS.reject}${part}`, "glossator.rejectPart")]),
        ...(said ? [lens(said, "")] : []),
      ];
    });
  }
}
