// `glossator/calls`: who calls a symbol and what it calls, as VS Code's other extensions know it.

import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  type CallHierarchyOutgoingCall,
  commands,
  Position,
  Uri,
} from "vscode";
import type { CallsTold } from "../wire.ts";

/** Where the symbol's name is; both from 0. */
export interface CallsRequest {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

/** Null where no extension knows calls of this language. */
export async function calls({ uri, line, character }: CallsRequest): Promise<CallsTold | null> {
  const items = await commands.executeCommand<CallHierarchyItem[] | undefined>(
    "vscode.prepareCallHierarchy",
    Uri.parse(uri),
    new Position(line, character),
  );
  const [item] = items ?? [];
  if (!item) {
    return null;
  }
  const [incoming, outgoing] = await Promise.all([
    commands.executeCommand<CallHierarchyIncomingCall[]>("vscode.provideIncomingCalls", item),
    commands.executeCommand<CallHierarchyOutgoingCall[]>("vscode.provideOutgoingCalls", item),
  ]);
  return {
    callers: incoming.flatMap(({ from, fromRanges }) =>
      fromRanges.map((range) => place(from.name, from.uri, range.start.line)),
    ),
    callees: outgoing.flatMap(({ to, fromRanges }) =>
      fromRanges.map((range) => place(to.name, item.uri, range.start.line)),
    ),
  };
}

function place(name: string, uri: Uri, line: number): CallsTold["callers"][number] {
  return { name, uri: uri.toString(), line: line + 1 };
}
