// Where chats are shown: in the view, and in editor tabs. Each has a conversation of its own.

import { type Disposable, EventEmitter, type Memento, type Uri, window } from "vscode";
import type { Bookmark, Chat } from "./chat/chat.ts";
import { Conversation } from "./chat/conversation.ts";
import type { CommandTable } from "./commands/command.ts";
import type { ChatPanel } from "./panel/chat-panel.ts";
import type { ToPanel } from "./panel/messages.ts";
import { PanelTab, TAB } from "./panel/tab.ts";
import { PanelView } from "./panel/view.ts";

const KEPT = "glossator.session";

/** A panel, the chat in it, and the palette's commands as they are about that chat. */
export interface Surface extends Disposable {
  readonly panel: ChatPanel;
  readonly chat: Chat;
  readonly commands: CommandTable;
}

/** Makes a surface of a panel, with the conversation of the bookmark's session or the one given. */
export type Furnish = (
  panel: ChatPanel,
  bookmark: Bookmark,
  conversation?: Conversation,
) => Surface;

/** All of them; the palette's commands are about the one used last. */
export class Surfaces implements Disposable {
  readonly #moves = new EventEmitter<void>();
  readonly #turns = new EventEmitter<void>();
  readonly #view: PanelView;
  #all: readonly Surface[] = []; // the one used last is the first
  #furnish: Furnish | undefined;
  #serialized: Disposable | undefined;

  /** One came into sight, with nothing in it yet, or went out of it. */
  readonly onMove = this.#moves.event;
  /** Another one is used. */
  readonly onTurn = this.#turns.event;

  constructor(private readonly extension: Uri) {
    this.#view = new PanelView(extension);
  }

  /** Show the view, and the tabs that were there before the window was reloaded. */
  begin(furnish: Furnish, memento: Memento): void {
    this.#furnish = furnish;
    this.#add(this.#view, {
      sessionId: memento.get<string>(KEPT),
      keep: (sessionId) => {
        if (memento.get(KEPT) !== sessionId) {
          void memento.update(KEPT, sessionId);
        }
      },
    });
    this.#serialized = window.registerWebviewPanelSerializer(TAB, {
      deserializeWebviewPanel: async (panel, state: { sessionId?: unknown } | undefined) => {
        const { sessionId } = state ?? {};
        this.#addTab(
          new PanelTab(this.extension, panel),
          typeof sessionId === "string" ? sessionId : undefined,
        );
      },
    });
  }

  get all(): readonly Surface[] {
    return this.#all;
  }

  /** The one used last. */
  get current(): Surface {
    return this.#all[0] as Surface; // the view is always there
  }

  /** Whether the one used last is an editor tab. */
  get isTabUsed(): boolean {
    return this.current.panel !== this.#view;
  }

  /** Whether somebody can see any. */
  get visible(): boolean {
    return this.#all.some(({ panel }) => panel.visible);
  }

  /** To all of them. */
  post(message: ToPanel): void {
    for (const { panel } of this.#all) {
      panel.post(message);
    }
  }

  /** Show on the view's icon for how many answers Glossator waits. */
  badge(waiting: number): void {
    this.#view.badge(waiting);
  }

  /** Bring the one with a session into sight, else the one used last; true once it listens. */
  async reveal(sessionId = ""): Promise<boolean> {
    return await (this.showing(sessionId) ?? this.current).panel.reveal();
  }

  /** Show a session where it is shown already, else where the user is. */
  async goTo(sessionId: string): Promise<void> {
    if (sessionId !== "" && !this.showing(sessionId)) {
      await this.current.chat.resume(sessionId);
    }
  }

  /** The one that shows a session. */
  showing(sessionId: string): Surface | undefined {
    return this.#all.find(({ chat }) => chat.sessionId === sessionId);
  }

  /** Begin a chat in an editor tab. */
  async openTab(conversation = new Conversation()): Promise<ChatPanel> {
    const tab = this.#addTab(new PanelTab(this.extension), undefined, conversation);
    this.#use(tab);
    await tab.panel.reveal();
    return tab.panel;
  }

  /**
   * The view's conversation goes on in an editor tab, with what was being written in it, and another
   * begins in the view.
   */
  async moveToTab(): Promise<void> {
    const view = this.#all.find(({ panel }) => panel === this.#view);
    const conversation = view?.chat.shown;
    this.#view.post({ type: "handOver" });
    view?.chat.show();
    const opened = this.openTab(conversation);
    if (this.#view.visible) {
      const listening = this.#view.onMessage(async (message) => {
        if (message.type === "handedOver") {
          listening.dispose();
          const tab = await opened;
          (tab.visible ? tab : this.#view).post({ ...message, type: "compose" });
        }
      });
    }
    await opened;
  }

  dispose(): void {
    this.#serialized?.dispose();
    for (const surface of this.#all) {
      surface.dispose();
    }
    this.#view.dispose();
    this.#moves.dispose();
    this.#turns.dispose();
  }

  #addTab(tab: PanelTab, sessionId: string | undefined, conversation?: Conversation): Surface {
    const keep = (id: string | undefined) => tab.post({ type: "keep", sessionId: id ?? null });
    const surface = this.#add(tab, { sessionId, keep }, conversation);
    const title = () => tab.title(surface.chat.session?.title);
    const listening = surface.chat.conversations.onChange(title);
    title();
    tab.onGone(() => {
      this.#all = this.#all.filter((each) => each !== surface);
      listening.dispose();
      surface.dispose();
      tab.dispose();
      this.#turns.fire();
    });
    return surface;
  }

  #add(panel: ChatPanel, bookmark: Bookmark, conversation?: Conversation): Surface {
    if (!this.#furnish) {
      throw new Error("a surface is added after the beginning");
    }
    const surface = this.#furnish(panel, bookmark, conversation);
    this.#all = [...this.#all, surface];
    panel.onMove(() => this.#moves.fire());
    panel.onUse(() => this.#use(surface));
    return surface;
  }

  #use(surface: Surface): void {
    if (surface !== this.current) {
      this.#all = [surface, ...this.#all.filter((each) => each !== surface)];
      this.#turns.fire();
    }
  }
}
