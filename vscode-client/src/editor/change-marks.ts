// How parts that wait to be kept or undone look in an editor: lines that came or changed, and places
// where lines went, in the colours that the theme has for diffs: a ground, and a frame in high contrast.

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
import { shown, shownText } from "../shown.ts";
import type { Part } from "./changed-text.ts";

const isMac = process.platform === "darwin";
/** The keys of the manifest, as they are called here. */
export const [KEEPS, UNDOES, GOES_ON, GOES_BACK] = isMac
  ? ["⌥⌘A", "⇧⌥⌘A", "⌥F5", "⇧⌥F5"]
  : ["Ctrl+Alt+A", "Ctrl+Alt+Shift+A", "Alt+F5", "Alt+Shift+F5"];

const MOST = 40; // lines of the text before, in a hover
const CHARACTERS = 100; // of a line before, beside the line that took its place

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
  readonly #before = window.createTextEditorDecorationType({
    after: {
      margin: "0 0 0 3em",
      color: new ThemeColor("descriptionForeground"),
      backgroundColor: new ThemeColor("diffEditor.removedTextBackground"),
      textDecoration: "line-through",
      ...frame("diffEditor.removedTextBorder"),
    },
  });

  /**
   * Show these parts in an editor, and no others; a side of a diff shows its own. Of some the lines before
   * stand beside those that took their place.
   */
  show(editor: TextEditor, parts: readonly Part[], withBefore: readonly Part[]): void {
    const visible = editor.viewColumn === undefined ? [] : parts;
    for (const kind of ["added", "changed", "deleted"] as const) {
      const marks = visible.filter((part) => kindOf(part) === kind);
      const language = editor.document.languageId;
      const decorations = marks.map((part) => markOf(part, language, editor.document.lineCount));
      editor.setDecorations(this.#types[kind], decorations);
    }
    const before = visible.filter((part) => withBefore.includes(part));
    editor.setDecorations(
      this.#before,
      before.flatMap((part) => beforeOf(part, editor)),
    );
  }

  dispose(): void {
    for (const each of [...Object.values(this.#types), this.#before]) {
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
    outline: "1px dashed",
    outlineColor: new ThemeColor("diffEditor.insertedTextBorder"),
  };
}

/** Only themes of high contrast have such a colour; elsewhere nothing is seen. */
function frame(color: string) {
  return { border: "1px dashed", borderColor: new ThemeColor(color) };
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

/** Each line before beside the one in its place; those that are left over beside the last one. */
function beforeOf({ start, end, before }: Part, { document }: TextEditor): DecorationOptions[] {
  const places = Math.max(end - start, 1);
  return before.slice(0, places).map((text, at) => {
    const line = Math.min(start + at, document.lineCount - 1);
    const { end: place } = document.lineAt(line).range;
    const more = at === places - 1 ? before.length - places : 0;
    const words = shown(text.trim()).slice(0, CHARACTERS);
    const contentText = more > 0 ? `${words} … and ${more} more` : words;
    return { range: new Range(place, place), renderOptions: { after: { contentText } } };
  });
}

/** What was there before is in the hover, and the keys. */
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
  if (more > 0) {
    hover.appendText(`… and ${more} more lines\n`);
  }
  return { range, hoverMessage: hover.appendText(`${KEEPS} keeps it, ${UNDOES} undoes it`) };
}
