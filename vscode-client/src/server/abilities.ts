// What of the protocol beside the LSP this client knows; see docs/protocol.md.

import type { ClientCapabilities, StaticFeature } from "vscode-languageclient/node";

/** The requests that the server sends only to clients that declare them, and how they do. */
const BY_METHOD = {
  "glossator/question": "questions",
  "glossator/permission": "permissions",
  "glossator/review": "reviews",
  "glossator/diagnostics": "diagnostics",
  "glossator/saveDocuments": "saves",
  "glossator/code": "code",
  "glossator/terminal": "terminal",
} as const;

/** A request of the server's own. */
export type Method = keyof typeof BY_METHOD;

/** Declares the requests that are answered, events, links that run commands, and that we register the commands. */
export class Abilities implements StaticFeature {
  constructor(private readonly methods: readonly Method[]) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const answered = this.methods.map((method) => [BY_METHOD[method], true] as const);
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      glossator: { events: true, commands: true, links: true, ...Object.fromEntries(answered) },
    };
  }

  initialize(): void {
    // nothing to do: the server only needs to know
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {
    // nothing was kept
  }
}
