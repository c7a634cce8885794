// The chat in an editor tab, which comes back when the window is reloaded.

import { ThemeIcon, type Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { shown } from "../shown.ts";
import { ChatPanel } from "./chat-panel.ts";

/** The type of such webviews; the manifest has it in an activation event. */
export const TAB = "glossator.tab";
const UNTITLED = "New Chat";

/** There may be many; each ends when the user closes it. */
export class PanelTab extends ChatPanel {
  /** In a webview that VS Code has brought back, or in a new one. */
  constructor(
    extension: Uri,
    private readonly panel: WebviewPanel = window.createWebviewPanel(
      TAB,
      UNTITLED,
      ViewColumn.Active,
    ),
  ) {
    super(extension);
    panel.iconPath = new ThemeIcon("comment-discussion");
    panel.onDidChangeViewState(() => this.seen());
    this.fill(panel);
  }

  /** Call it as its session is called. */
  title(title = ""): void {
    const called = shown(title) || UNTITLED;
    if (this.panel.title !== called) {
      this.panel.title = called;
    }
  }

  override dispose(): void {
    this.panel.dispose();
    super.dispose();
  }

  protected override async show(): Promise<void> {
    this.panel.reveal(this.panel.viewColumn);
  }
}
