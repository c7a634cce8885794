// Single files of a turn whose changes were taken back, while the turn's other changes stand.

import type { Disposable } from "vscode";
import type { Chat } from "./chat/chat.ts";
import type { ChatPanel } from "./panel/chat-panel.ts";
import type { UndoneFile } from "./panel/messages.ts";
import type { Server } from "./server/server.ts";
import type { Turn } from "./wire.ts";

/** Tells the panel of them, for the session that is shown. */
export class UndoneFiles implements Disposable {
  readonly #listening: readonly Disposable[];
  #sessionId: string | undefined;
  #number = 0; // of the newest look-up: an earlier one tells nothing any more

  constructor(
    private readonly server: Pick<Server, "onUndone" | "run" | "state">,
    private readonly chat: Pick<Chat, "conversations" | "sessionId">,
    private readonly panel: Pick<ChatPanel, "onMove" | "post">,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#listening = [
      server.onUndone(({ sessionId }) => sessionId === chat.sessionId && this.#tell()),
      chat.conversations.onChange(() => chat.sessionId !== this.#sessionId && this.#tell()),
      panel.onMove(() => this.#tell()),
    ];
  }

  dispose(): void {
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  #tell(): void {
    this.#lookUp().catch(this.failed);
  }

  async #lookUp(): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    const { sessionId } = this.chat;
    this.#sessionId = sessionId;
    if (sessionId === undefined || this.server.state.phase !== "ready") {
      return;
    }
    const { turns } = await this.server.run("glossator.listTurns", { sessionId });
    if (number === this.#number) {
      this.panel.post({ type: "filesUndone", files: filesUndone(turns) });
    }
  }
}

/** By the turns of a session: what an undo that still stands took back of a turn that is not undone. */
export function filesUndone(turns: readonly Turn[]): readonly UndoneFile[] {
  const undoneBy = new Map(turns.map((each) => [each.turn, each.undoneBy]));
  return turns
    .filter((undo) => undo.undoneBy === null)
    .flatMap(({ turn: by, undoes, paths }) =>
      undoes
        .filter((runId) => undoneBy.get(runId) !== by)
        .flatMap((runId) => paths.map((path) => ({ runId, path, by }))),
    );
}
