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
  type Uri,
  workspace,
} from "vscode";
import { type CellText, cellsIn } from "../notebook-text.ts";
import { shownText } from "../shown.ts";
import { ACTS } from "../wire.ts";
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
  const found = workspace.notebookDocuments.find((each) => each.uri.toString() === uri.toString());
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
    const all = cellsOf(notebook);
    const start = lines(all.slice(0, index)).split("\n").length - 1;
    const end = lines(all.slice(0, index + 1)).split("\n").length - 1;
    const parts = this.partsOf(notebook.uri).filter(
      (part) => part.start < end && start < Math.max(part.end, part.start + 1),
    );
    if (parts.length === 0) {
      return [];
    }
    const before = parts.flatMap((part) => part.before).join("\n");
    const tooltip = before ? `Before:\n${shownText(before)}` : "Glossator has added this";
    return [
      item("$(sparkle) Changed by Glossator", tooltip),
      item(
        `$(check) ${ACTS.keep} All`,
        `${ACTS.keep} all changes of this notebook`,
        "glossator.keepFile",
        notebook,
      ),
      item(
        `$(discard) ${ACTS.undo} All`,
        `${ACTS.undo} all of them`,
        "glossator.undoFile",
        notebook,
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
  notebook?: NotebookDocument,
): NotebookCellStatusBarItem {
  const made = new NotebookCellStatusBarItem(text, NotebookCellStatusBarAlignment.Left);
  made.tooltip = tooltip;
  if (command && notebook) {
    made.command = { title: text, command, arguments: [notebook.uri] };
  }
  return made;
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
  return cells.map(({ kind, source }) => `# cell (${kind})\n${source}\n`).join("");
}
