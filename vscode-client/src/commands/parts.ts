// What commands work with.

import type { LogOutputChannel, SecretStorage } from "vscode";
import type { Chat } from "../chat/chat.ts";
import type { Choices } from "../choices.ts";
import type { Spans } from "../editor/spans.ts";
import type { PanelView } from "../panel/view.ts";
import type { Server } from "../server/server.ts";
import type { Mode } from "../wire.ts";

/** The parts of the extension. */
export interface Parts {
  readonly server: Server;
  readonly chat: Chat;
  readonly panel: PanelView;
  readonly spans: Spans;
  readonly choices: Choices;
  readonly secrets: SecretStorage;
  readonly log: LogOutputChannel;
  /** The status bar and the panel show what changed. */
  refresh(): Promise<void>;
  readonly mode: Mode;
  /** The folder for pictures that were pasted. */
  readonly pasted: string;
}

/** A command of the palette; what it throws is shown to the user. */
export type Command = (...given: readonly unknown[]) => Promise<void>;

/** Commands by their names. */
export type CommandTable = Readonly<Record<string, Command>>;
