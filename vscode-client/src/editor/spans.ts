// Opening a file at the lines that a citation names, and making them stand out for a moment.

import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  type Disposable,
  NotebookRange,
  OverviewRulerLane,
  Position,
  Range,
  type TextDocument,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";
import { cellsIn } from "../notebook-text.ts";
import { namesOf } from "../panel/folders.ts";
import { UserError } from "../result.ts";
import { isNotebook } from "./changed-cells.ts";
import { besideChat } from "./columns.ts";

const BRIGHT_MILLISECONDS = 1500;
const FAINT_MILLISECONDS = 1500;

/** Opens spans. One is highlighted at a time; it fades in two steps. */
export class Spans implements Disposable {
  readonly #bright = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.findMatchHighlightBackground"),
    borderColor: new ThemeColor("editor.findMatchHighlightBorder"),
    overviewRulerColor: new ThemeColor("editorOverviewRuler.findMatchForeground"),
    overviewRulerLane: OverviewRulerLane.Center,
  });
  readonly #faint = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor("editor.rangeHighlightBackground"),
  });
  #timer: NodeJS.Timeout | undefined;

  /**
   * Show the lines (1-based, inclusive), and put the cursor at their beginning. With `look` the
   * focus stays where it is, and the next document takes this one's tab.
   */
  async open(uri: Uri, firstLine: number, lastLine: number, look = false): Promise<void> {
    if (isNotebook(uri) && (await openedAtCell(uri, firstLine, look))) {
      return;
    }
    const document = await opened(uri);
    const first = Math.min(Math.max(firstLine, 1), document.lineCount) - 1;
    const last = Math.min(Math.max(lastLine, firstLine, 1), document.lineCount) - 1;
    const range = new Range(first, 0, last, document.lineAt(last).text.length);
    const start = new Position(first, 0);
    const selection = new Range(start, start);
    const editor = await window.showTextDocument(document, {
      selection,
      preserveFocus: look,
      viewColumn: besideChat(),
      ...(look ? { preview: true } : {}),
    });
    const { InCenter, InCenterIfOutsideViewport } = TextEditorRevealType;
    editor.revealRange(range, look ? InCenter : InCenterIfOutsideViewport); // a list may cover it
    this.#clear();
    editor.setDecorations(this.#bright, [range]);
    this.#timer = setTimeout(() => {
      editor.setDecorations(this.#bright, []);
      editor.setDecorations(this.#faint, [range]);
      this.#timer = setTimeout(() => this.#clear(), FAINT_MILLISECONDS);
    }, BRIGHT_MILLISECONDS);
  }

  /** The same for a path as answers name it: relative to a folder of the workspace, or to `within`. */
  async openPath(
    path: string,
    line: number,
    lastLine = line,
    within: readonly string[] = [],
  ): Promise<void> {
    await this.open(await located(path, within), line, lastLine);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#bright.dispose();
    this.#faint.dispose();
  }

  #clear(): void {
    clearTimeout(this.#timer);
    for (const editor of window.visibleTextEditors) {
      editor.setDecorations(this.#bright, []);
      editor.setDecorations(this.#faint, []);
    }
  }
}

/** Show the cell of a notebook that a line of its file (from 1) is in; false if there is none. */
async function openedAtCell(uri: Uri, line: number, preserveFocus: boolean): Promise<boolean> {
  try {
    const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
    const before = text
      .split("\n")
      .slice(0, line - 1)
      .join("\n").length;
    const cells = cellsIn(text)?.cells ?? [];
    const at = cells.findIndex(({ end }) => before < end);
    if (at === -1) {
      return false;
    }
    const selections = [new NotebookRange(at, at + 1)];
    const options = { selections, preserveFocus, viewColumn: besideChat() };
    const notebook = await workspace.openNotebookDocument(uri);
    const editor = await window.showNotebookDocument(notebook, options);
    editor.revealRange(new NotebookRange(at, at + 1));
    return true;
  } catch {
    return false; // it is gone, or no notebook: as a text it can be looked at all the same
  }
}

/** Throws `UserError` for what is gone or no text: VS Code's own words name an address. */
async function opened(uri: Uri): Promise<TextDocument> {
  try {
    return await workspace.openTextDocument(uri);
  } catch {
    const name = workspace.asRelativePath(uri);
    throw new UserError(`${name} cannot be opened: it is not there any more, or it is no text.`);
  }
}

/** With several folders, a path begins with the name of its folder; the server goes by real paths. */
async function located(path: string, within: readonly string[]): Promise<Uri> {
  if (isAbsolute(path)) {
    return Uri.file(path);
  }
  const own = within.map((folder) => Uri.file(folder));
  const folders = own.length > 0 ? own : (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const real = await Promise.all(folders.map(({ fsPath }) => realpath(fsPath)));
  const [, name = "", inner = ""] = /^([^/]+)\/(.*)$/.exec(path) ?? [];
  const named = folders[real.indexOf(namesOf([...new Set(real)]).get(name) ?? "")];
  if (named && folders.length > 1) {
    return Uri.joinPath(named, inner);
  }
  const [first] = folders;
  return first ? Uri.joinPath(first, path) : Uri.file(path);
}
