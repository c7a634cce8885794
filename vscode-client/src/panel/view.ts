// The chat panel as VS Code holds it. Its content goes when it is hidden and is made again when it is
// shown, so all that matters is kept by the extension.

import {
  commands,
  type Disposable,
  EventEmitter,
  Uri,
  type WebviewView,
  type WebviewViewProvider,
  window,
} from "vscode";
import { page } from "./html.ts";
import type { ToHost, ToPanel } from "./messages.ts";

/** The view's id in the manifest. */
export const VIEW = "glossator.chat";
const READY_MILLISECONDS = 5000;

/** Posts to the panel, and hears from it. */
export class PanelView implements WebviewViewProvider, Disposable {
  readonly #messages = new EventEmitter<ToHost>();
  readonly #moves = new EventEmitter<void>();
  readonly #registered: Disposable;
  #view: WebviewView | undefined;
  #ready = false; // the script in it listens
  #waiting = 0;

  /** What the panel says; `ready` is heard here alone. */
  readonly onMessage = this.#messages.event;
  /** It came into sight, with nothing in it yet, or went out of it. */
  readonly onMove = this.#moves.event;

  constructor(private readonly extension: Uri) {
    this.#registered = window.registerWebviewViewProvider(VIEW, this);
  }

  /** Whether somebody can see what is posted. */
  get visible(): boolean {
    return this.#ready && this.#view?.visible === true;
  }

  /** To the panel, if it is there. */
  post(message: ToPanel): void {
    if (this.#ready) {
      void this.#view?.webview.postMessage(message);
    }
  }

  /** Show on the view's icon for how many answers Glossator waits. */
  badge(waiting: number): void {
    this.#waiting = waiting;
    this.#showBadge();
  }

  /** Bring it into sight; true once it listens. */
  async reveal(): Promise<boolean> {
    await commands.executeCommand(`${VIEW}.focus`);
    if (!this.visible) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, READY_MILLISECONDS);
        const once = this.onMove(() => {
          clearTimeout(timer);
          once.dispose();
          resolve();
        });
      });
    }
    return this.visible;
  }

  resolveWebviewView(view: WebviewView): void {
    const root = Uri.joinPath(this.extension, "dist");
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    view.webview.onDidReceiveMessage((message: ToHost) => this.#heard(message));
    view.onDidChangeVisibility(() => {
      if (!view.visible) {
        this.#becomes(false);
      }
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#becomes(false);
    });
    view.webview.html = page(view.webview, root);
    this.#showBadge();
  }

  dispose(): void {
    this.#registered.dispose();
    this.#messages.dispose();
    this.#moves.dispose();
  }

  #showBadge(): void {
    const tooltip = `${this.#waiting} waiting for your answer`;
    if (this.#view) {
      this.#view.badge = this.#waiting > 0 ? { value: this.#waiting, tooltip } : undefined;
    }
  }

  #heard(message: ToHost): void {
    if (message.type === "ready") {
      this.#becomes(true);
    } else {
      this.#messages.fire(message);
    }
  }

  #becomes(ready: boolean): void {
    this.#ready = ready;
    this.#moves.fire();
  }
}
