// The chat as a view, in a side bar or wherever the user has moved it.

import {
  commands,
  type Disposable,
  type Uri,
  type WebviewView,
  type WebviewViewProvider,
  window,
} from "vscode";
import { ChatPanel } from "./chat-panel.ts";

/** The view's id in the manifest. */
export const VIEW = "glossator.chat";

/** There is one, from the beginning. */
export class PanelView extends ChatPanel implements WebviewViewProvider {
  readonly #registered: Disposable;
  #view: WebviewView | undefined;
  #waiting = 0;

  constructor(extension: Uri) {
    super(extension);
    this.#registered = window.registerWebviewViewProvider(VIEW, this);
  }

  /** Show on the view's icon for how many answers Glossator waits. */
  badge(waiting: number): void {
    this.#waiting = waiting;
    this.#showBadge();
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    view.onDidChangeVisibility(() => this.seen());
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    this.fill(view);
    this.#showBadge();
  }

  override dispose(): void {
    this.#registered.dispose();
    super.dispose();
  }

  protected override async show(): Promise<void> {
    await commands.executeCommand(`${VIEW}.focus`);
  }

  #showBadge(): void {
    const tooltip = `${this.#waiting} waiting for your answer`;
    if (this.#view) {
      this.#view.badge = this.#waiting > 0 ? { value: this.#waiting, tooltip } : undefined;
    }
  }
}
