// The Context view, asked for again whenever what it lists may have changed: it is about the session of
// the chat used last.

import { Disposable } from "vscode";
import type { Conversations } from "../chat/conversations.ts";
import type { Server } from "../server/server.ts";
import type { Surfaces } from "../surfaces.ts";
import { ContextView } from "./view.ts";

/** The view until it is disposed of; `failed` gets what the server refuses. */
export function followingView(
  server: Server,
  surfaces: Surfaces,
  conversations: Conversations,
  failed: (error: unknown) => void,
): Disposable & { readonly refresh: () => void } {
  const session = () => surfaces.current.chat.sessionId ?? null;
  const view = new ContextView({
    list: async () =>
      server.state.phase === "ready"
        ? await server.run("glossator.listContext", { sessionId: session() })
        : { sources: [], problems: [] },
    turn: ({ kind, id }, on) => server.run("glossator.switchContext", { kind, id, on }),
    failed,
  });
  let listed: string | null = null;
  const look = () => {
    if (session() !== listed) {
      listed = session();
      view.refresh();
    }
  };
  const parts = Disposable.from(
    view,
    server.onState(({ phase }) => phase !== "starting" && view.refresh()),
    server.onContextChange(() => view.refresh()),
    conversations.onEnding(() => view.refresh()),
    conversations.onChange(look),
    surfaces.onTurn(look),
  );
  return { refresh: () => view.refresh(), dispose: () => parts.dispose() };
}
