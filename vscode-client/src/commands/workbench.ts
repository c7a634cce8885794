// What commands work with.

import type { LogOutputChannel, Memento, SecretStorage } from "vscode";
import type { Chat } from "../chat/chat.ts";
import type { Choices } from "../choices.ts";
import type { Changes } from "../editor/changes.ts";
import type { InPlace } from "../editor/in-place.ts";
import type { Plans } from "../editor/plans.ts";
import type { Proposals } from "../editor/proposals.ts";
import type { Spans } from "../editor/spans.ts";
import type { Jobs } from "../jobs.ts";
import type { Newest } from "../newest.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import type { Server } from "../server/server.ts";
import type { Surfaces } from "../surfaces.ts";
import type { Mode } from "../wire.ts";

/** What all chats share. */
export interface Shared {
  readonly server: Server;
  readonly surfaces: Surfaces;
  readonly spans: Spans;
  readonly proposals: Proposals;
  readonly plans: Plans;
  readonly changes: Changes;
  readonly inPlace: InPlace;
  readonly choices: Choices;
  readonly jobs: Jobs;
  readonly secrets: SecretStorage;
  /** What is kept for all windows. */
  readonly memento: Memento;
  readonly log: LogOutputChannel;
  /** The status bar and the panel show what changed. */
  refresh(): Promise<void>;
  /** The Context view shows what changed. */
  refreshContext(): void;
  /** What is done without asking in a session; without one, in those to come. */
  modeOf(sessionId: string | undefined): Mode;
  /** The folder for pictures that were pasted. */
  readonly pasted: string;
}

/** With one chat, which the command is about. */
export interface Workbench extends Shared {
  readonly chat: Chat;
  readonly panel: ChatPanel;
  /** The searches for sessions in its panel. */
  readonly searches: Newest;
  /** The looks at what goes with the question that is written in it. */
  readonly previews: Newest;
  /** Run one of the palette's commands about this chat. */
  run(command: string, ...given: readonly unknown[]): Promise<void>;
}
