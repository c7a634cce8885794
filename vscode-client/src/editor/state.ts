// `glossator/editorState`: which documents are open, and what of the active one is seen.
//
// Paths and lines alone; the server gets texts only through the LSP.

import { Disposable, TabInputText, type TextEditor, window } from "vscode";
import type { EditorState, ShownLines } from "../wire.ts";
import { selectedLines } from "./chips.ts";
import { Settled } from "./settled.ts";

const QUIET = 200; // ms without a change, before it is told
const MOST_TABS = 50; // the server tells fewer: some are hidden, or elsewhere

/** Calls `tell` with what VS Code shows, once it has settled and differs from what was told. */
export class ShownState implements Disposable {
  readonly #settled: Settled<EditorState>;
  readonly #listening: Disposable;
  #active = window.activeTextEditor;

  constructor(tell: (state: EditorState) => void) {
    this.#settled = new Settled(() => this.#state(), tell, QUIET);
    const changed = () => this.#settled.changed();
    this.#listening = Disposable.from(
      window.onDidChangeActiveTextEditor(changed),
      window.onDidChangeVisibleTextEditors(changed),
      window.onDidChangeTextEditorSelection(changed),
      window.onDidChangeTextEditorVisibleRanges(changed),
      window.tabGroups.onDidChangeTabs(changed),
    );
  }

  /** There is a new server, which knows nothing yet. */
  again(): void {
    this.#settled.again();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#settled.dispose();
  }

  #state(): EditorState {
    const editor = this.#activeEditor();
    const tabs = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .flatMap(({ input }) => (input instanceof TabInputText ? [input.uri.toString()] : []));
    return {
      active: editor?.document.uri.toString() ?? null,
      visible: visible(editor),
      selected: selected(editor),
      tabs: tabs.slice(0, MOST_TABS),
    };
  }

  /** The last one while it is still seen: a question is typed in the chat, not in an editor. */
  #activeEditor(): TextEditor | undefined {
    const active = window.activeTextEditor;
    if (active || !this.#active || !window.visibleTextEditors.includes(this.#active)) {
      this.#active = active;
    }
    return this.#active;
  }
}

function visible(editor: TextEditor | undefined): ShownLines | null {
  const first = editor?.visibleRanges[0];
  const last = editor?.visibleRanges.at(-1);
  return first && last ? { firstLine: first.start.line + 1, lastLine: last.end.line + 1 } : null;
}

function selected(editor: TextEditor | undefined): ShownLines | null {
  return editor && !editor.selection.isEmpty ? selectedLines(editor) : null;
}
