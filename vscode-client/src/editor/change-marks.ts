// How parts that wait to be kept or undone look in an editor: lines that came or changed, and places
// where lines went, in the colours that the theme has for diffs.

import {
  type DecorationOptions,
  type DecorationRenderOptions,
  type Disposable,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextEditor,
  ThemeColor,
  window,
} from "vscode";
import { shownText } from "../shown.ts";
import type { Part } from "./changed-text.ts";

const MOST = 40; // lines of the text before, in a hover

type Kind = "added" | "changed" | "deleted";

/** The decorations of all editors. */
export class ChangeMarks implements Disposable {
  readonly #types = {
    added: type("added", lines("editorGutter.addedBackground")),
    changed: type("modified", lines("editorGutter.modifiedBackground")),
    deleted: type("deleted", {
      borderWidth: "2px 0 0",
      borderStyle: "dashed",
      borderColor: new ThemeColor("editorGutter.deletedBackground"),
    }),
  };

  /** Show these parts in an editor, and no others; a side of a diff shows its own. */
  show(editor: TextEditor, parts: readonly Part[]): void {
    const shown = editor.viewColumn === undefined ? [] : parts;
    for (const kind of ["added", "changed", "deleted"] as const) {
      const marks = shown.filter((part) => kindOf(part) === kind);
      const language = editor.document.languageId;
      const decorations = marks.map((part) => markOf(part, language, editor.document.lineCount));
      editor.setDecorations(this.#types[kind], decorations);
    }
  }

  dispose(): void {
    for (const each of Object.values(this.#types)) {
      each.dispose();
    }
  }
}

/** A bar beside the lines, as source control has it, and the ground of added lines. */
function lines(bar: string): DecorationRenderOptions {
  return {
    backgroundColor: new ThemeColor("diffEditor.insertedLineBackground"),
    borderWidth: "0 0 0 3px",
    borderStyle: "solid",
    borderColor: new ThemeColor(bar),
  };
}

function type(ruler: "added" | "modified" | "deleted", look: DecorationRenderOptions) {
  return window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor(`editorOverviewRuler.${ruler}Foreground`),
    overviewRulerLane: OverviewRulerLane.Left,
    ...look,
  });
}

function kindOf({ start, end, before }: Part): Kind {
  return start === end ? "deleted" : before.length === 0 ? "added" : "changed";
}

/** What was there before is in the hover. */
function markOf(part: Part, language: string, count: number): DecorationOptions {
  const { start, end, before } = part;
  const first = Math.min(start, count - 1);
  const range = new Range(first, 0, Math.max(first, end - 1), 0);
  if (before.length === 0) {
    return { range };
  }
  const more = before.length - MOST;
  const text = shownText(before.slice(0, MOST).join("\n"));
  const hover = new MarkdownString("Before:").appendCodeblock(text, language);
  return { range, hoverMessage: more > 0 ? hover.appendText(`… and ${more} more lines`) : hover };
}
