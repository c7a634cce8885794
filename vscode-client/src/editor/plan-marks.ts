// The steps of plans, ticked off in the editors that show them while they are carried out.

import {
  type DecorationOptions,
  Disposable,
  type TextEditor,
  ThemeColor,
  window,
  workspace,
} from "vscode";
import { type Step, stepLines } from "../plan-steps.ts";
import type { TaskState } from "../wire.ts";

const MARKS: Readonly<Record<TaskState, { readonly sign: string; readonly color: string }>> = {
  pending: { sign: "○ ", color: "disabledForeground" },
  active: { sign: "→ ", color: "charts.blue" },
  done: { sign: "✓ ", color: "testing.iconPassed" },
  failed: { sign: "✗ ", color: "testing.iconFailed" },
};

/** Draws the steps of the session whose plan an editor shows, as `sessionOf` knows it. */
export class PlanMarks implements Disposable {
  readonly #steps = new Map<string, readonly Step[]>(); // by session
  readonly #type = window.createTextEditorDecorationType({});
  readonly #parts: Disposable;

  constructor(private readonly sessionOf: (editor: TextEditor) => string | undefined) {
    this.#parts = Disposable.from(
      this.#type,
      window.onDidChangeVisibleTextEditors(() => this.#draw()),
      workspace.onDidChangeTextDocument(() => this.#draw()),
    );
  }

  /** How far a session is with its plan. */
  put(sessionId: string, steps: readonly Step[]): void {
    this.#steps.set(sessionId, steps);
    this.#draw();
  }

  /** The session has another plan. */
  forget(sessionId: string): void {
    this.#steps.delete(sessionId);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #draw(): void {
    for (const editor of window.visibleTextEditors) {
      const sessionId = this.sessionOf(editor);
      if (sessionId !== undefined) {
        editor.setDecorations(this.#type, marksOf(editor, this.#steps.get(sessionId) ?? []));
      }
    }
  }
}

function marksOf({ document }: TextEditor, steps: readonly Step[]): DecorationOptions[] {
  const lines = stepLines(document.getText(), steps);
  return [...lines].map(([line, state]) => {
    const { sign, color } = MARKS[state];
    return {
      range: document.lineAt(line).range,
      hoverMessage: state,
      renderOptions: { before: { contentText: sign, color: new ThemeColor(color) } },
    };
  });
}
