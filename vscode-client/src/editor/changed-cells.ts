// Notebooks in which cells wait to be kept or undone: as a text that lists the cells, in which changes are
// followed as in any other, and what a cell says of it below.

import {
  type Disposable,
  type NotebookCell,
  NotebookCellKind,
  NotebookCellStatusBarAlignment,
  NotebookCellStatusBarItem,
  type NotebookCellStatusBarItemProvider,
  type NotebookDocument,
  notebooks,
  Range,
  type Uri,
  WorkspaceEdit,
  workspace,
} from "vscode";
import { type CellText, cellsIn } from "../notebook-text.ts";
import { UserError } from "../result.ts";
import { savesEdits } from "../settings.ts";
import { shownText } from "../shown.ts";
import { ACTS } from "../wire.ts";
import { beginning, isWithin, partsAt, sourceBefore } from "./cell-parts.ts";
import type { Part, Typed } from "./changed-text.ts";

/** Whether it is the file of a notebook, or one of its cells. */
export function isNotebook({ path }: Uri): boolean {
  return path.toLowerCase().endsWith(".ipynb");
}

/** The cells that a file's text holds, as lines; undefined for what is no notebook. */
export function listed(text: string): string | undefined {
  const cells = cellsIn(text)?.cells;
  return cells && lines(cells);
}

/** The same of a notebook that is open; undefined if it is not. */
export function listedNow(uri: Uri): string | undefined {
  const found = openNotebook(uri);
  return found && lines(cellsOf(found));
}

/** What makes one list another: lines of the first, and those in their place; none if they are the same. */
export function typedIn(before: string, after: string): readonly Typed[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const least = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < least && old[start] === fresh[start]) {
    start += 1;
  }
  let same = 0;
  while (same < least - start && old.at(-1 - same) === fresh.at(-1 - same)) {
    same += 1;
  }
  const end = old.length - same;
  if (start === end && start === fresh.length - same) {
    return [];
  }
  const text = fresh.slice(start, fresh.length - same).map((line) => `${line}\n`);
  const range = { start: { line: start, character: 0 }, end: { line: end, character: 0 } };
  return [{ range, text: text.join("") }];
}

/** Below each cell that waits: what may be done. `partsOf` gives the parts of a notebook's list. */
export class ChangedCells implements NotebookCellStatusBarItemProvider, Disposable {
  readonly onDidChangeCellStatusBarItems;
  readonly #parts: Disposable;

  constructor(
    private readonly partsOf: (uri: Uri) => readonly Part[],
    onChange: NonNullable<NotebookCellStatusBarItemProvider["onDidChangeCellStatusBarItems"]>,
  ) {
    this.onDidChangeCellStatusBarItems = onChange;
    this.#parts = notebooks.registerNotebookCellStatusBarItemProvider("jupyter-notebook", this);
  }

  provideCellStatusBarItems({ notebook, index }: NotebookCell): NotebookCellStatusBarItem[] {
    const [start, end] = placeOf(notebook, index);
    const all = this.partsOf(notebook.uri);
    const parts = partsAt(all, start, end);
    if (parts.length === 0) {
      return [];
    }
    const isAlone = parts.length < all.length && isWithin(parts, start, end);
    const before = parts.flatMap((part) => part.before).join("\n");
    const tooltip = before ? `Before:\n${shownText(before)}` : "Glossator has added this";
    return [
      item("$(sparkle) Changed by Glossator", tooltip),
      ...(isAlone
        ? [
            item(
              `$(check) ${ACTS.keep}`,
              `${ACTS.keep} this cell`,
              "glossator.keepChange",
              notebook.uri,
              parts,
            ),
            item(
              `$(discard) ${ACTS.undo}`,
              `${ACTS.undo} this cell`,
              "glossator.undoChange",
              notebook.uri,
              parts,
            ),
          ]
        : []),
      item(
        `$(check) ${ACTS.keep} All`,
        `${ACTS.keep} all changes of this notebook`,
        "glossator.keepFile",
        notebook.uri,
      ),
      item(
        `$(discard) ${ACTS.undo} All`,
        `${ACTS.undo} all of them`,
        "glossator.undoFile",
        notebook.uri,
      ),
    ];
  }

  dispose(): void {
    this.#parts.dispose();
  }
}

function item(
  text: string,
  tooltip: string,
  command?: string,
  ...given: readonly unknown[]
): NotebookCellStatusBarItem {
  const made = new NotebookCellStatusBarItem(text, NotebookCellStatusBarAlignment.Left);
  made.tooltip = tooltip;
  if (command) {
    made.command = { title: text, command, arguments: [...given] };
  }
  return made;
}

/** Bring back the source of a cell before parts of it. Throws `UserError` if they are in no one cell. */
export async function undoCell(uri: Uri, parts: readonly Part[]): Promise<void> {
  const notebook = openNotebook(uri);
  const cell = notebook?.getCells().find(({ index }) => {
    return isWithin(parts, ...placeOf(notebook, index));
  });
  if (!notebook || !cell) {
    throw new UserError("This cell has just changed, so nothing was done. Try again.");
  }
  const { document, index } = cell;
  const [start] = placeOf(notebook, index);
  const edit = new WorkspaceEdit();
  const whole = new Range(0, 0, document.lineCount, 0);
  const source = document.getText().replaceAll("\r\n", "\n");
  edit.replace(document.uri, whole, sourceBefore(source, start, parts));
  const wasSaved = !notebook.isDirty;
  await workspace.applyEdit(edit);
  if (savesEdits() === "always" || (savesEdits() === "clean" && wasSaved)) {
    await notebook.save();
  }
}

/** The lines of the list that are a cell's: the first, and the one behind the last. */
function placeOf(notebook: NotebookDocument, index: number): [number, number] {
  const all = cellsOf(notebook);
  const before = (cells: readonly CellText[]) => lines(cells).split("\n").length - 1;
  return [before(all.slice(0, index)), before(all.slice(0, index + 1))];
}

function openNotebook(uri: Uri): NotebookDocument | undefined {
  return workspace.notebookDocuments.find((each) => each.uri.toString() === uri.toString());
}

/** The cells of a notebook that is open. */
export function cellsOf(notebook: NotebookDocument): CellText[] {
  return notebook.getCells().map(({ kind, document, metadata }) => {
    const isCode = kind === NotebookCellKind.Code;
    return {
      kind: document.languageId === "raw" ? "raw" : isCode ? "code" : "markdown",
      source: document.getText().replaceAll("\r\n", "\n"),
      id: typeof metadata["id"] === "string" ? metadata["id"] : undefined,
    };
  });
}

function lines(cells: readonly CellText[]): string {
  return cells.map(({ kind, source }) => `${beginning(kind)}\n${source}\n`).join("");
}
