// A webview with the chat in it. Its content goes when it is hidden and is made again when it is shown,
// so all that matters is kept by the extension.

import { type Disposable, EventEmitter, Uri, type Webview } from "vscode";
import { page } from "./html.ts";
import type { ToHost, ToPanel } from "./messages.ts";

const READY_MILLISECONDS = 5000;

/** What views and editor tabs have in common. */
interface Held {
  readonly webview: Webview;
  readonly visible: boolean;
  onDidDispose(listener: () => void): Disposable;
}

/** Posts to the panel, and gets its messages. */
export abstract class ChatPanel implements Disposable {
  readonly #messages = new EventEmitter<ToHost>();
  readonly #moves = new EventEmitter<void>();
  readonly #uses = new EventEmitter<void>();
  readonly #gone = new EventEmitter<void>();
  #held: Held | undefined;
  #ready = false; // the script in it listens

  /** What the panel says, but for what the events below tell. */
  readonly onMessage = this.#messages.event;
  /** It came into sight, with nothing in it yet, or went out of it. */
  readonly onMove = this.#moves.event;
  /** The user turned to it. */
  readonly onUse = this.#uses.event;
  /** VS Code has no webview for it any more. */
  readonly onGone = this.#gone.event;

  constructor(private readonly extension: Uri) {}

  /** Whether somebody can see what is posted. */
  get visible(): boolean {
    return this.#ready && this.#held?.visible === true;
  }

  /** To the panel, if it is there. */
  post(message: ToPanel): void {
    if (this.#ready) {
      void this.#held?.webview.postMessage(message);
    }
  }

  /** Bring it into sight; true once it listens. */
  async reveal(): Promise<boolean> {
    await this.show();
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

  dispose(): void {
    this.#messages.dispose();
    this.#moves.dispose();
    this.#uses.dispose();
    this.#gone.dispose();
  }

  /** Have VS Code show it, with the focus. */
  protected abstract show(): Promise<void>;

  /** Fill a webview that VS Code has made. */
  protected fill(held: Held): void {
    const root = Uri.joinPath(this.extension, "dist");
    this.#held = held;
    held.webview.options = { enableScripts: true, localResourceRoots: [root] };
    held.webview.onDidReceiveMessage((message: ToHost) => this.#heard(message));
    held.onDidDispose(() => {
      this.#held = undefined;
      this.#becomes(false);
      this.#gone.fire();
    });
    held.webview.html = page(held.webview, root);
  }

  /** It may be hidden now. */
  protected seen(): void {
    if (this.#ready && this.#held?.visible !== true) {
      this.#becomes(false);
    }
  }

  #heard(message: ToHost): void {
    if (message.type === "ready") {
      this.#becomes(true);
      return;
    }
    if (message.type !== "handedOver") {
      this.#uses.fire(); // the user did that, too
    }
    if (message.type !== "focused") {
      this.#messages.fire(message);
    }
  }

  #becomes(ready: boolean): void {
    this.#ready = ready;
    this.#moves.fire();
  }
}
