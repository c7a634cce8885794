// `glossator/diagnostics`: what VS Code's other extensions find wrong.
//
// VS Code does not say which version of a document findings are for. They count as being for the
// version that the document had when they came.

import {
  type CancellationToken,
  type Diagnostic as CodeDiagnostic,
  DiagnosticSeverity,
  type Disposable,
  languages,
  Uri,
  workspace,
} from "vscode";
import type { Diagnostic, FileDiagnostics, Severity, Wanted } from "../wire.ts";

/** What the server sends. */
export interface DiagnosticsRequest {
  readonly files: readonly Wanted[];
  readonly seconds: number;
}

const SEVERITIES: Readonly<Record<DiagnosticSeverity, Severity>> = {
  [DiagnosticSeverity.Error]: "error",
  [DiagnosticSeverity.Warning]: "warning",
  [DiagnosticSeverity.Information]: "information",
  [DiagnosticSeverity.Hint]: "hint",
};

/** Listens to findings as they come. */
export class DiagnosticsPort implements Disposable {
  readonly #foundFor = new Map<string, number>(); // URI -> the newest version with findings
  readonly #waiting = new Set<() => void>();
  readonly #listening = [
    languages.onDidChangeDiagnostics(({ uris }) => this.#came(uris)),
    workspace.onDidCloseTextDocument(({ uri }) => this.#foundFor.delete(uri.toString())),
  ];

  /** The findings wanted, or all there are. */
  async answer(
    request: DiagnosticsRequest,
    token: CancellationToken,
  ): Promise<{ files: FileDiagnostics[] }> {
    if (request.files.length === 0) {
      const all = languages.getDiagnostics().filter(([, found]) => found.length > 0);
      return {
        files: all.map(([uri, found]) => ({
          uri: uri.toString(),
          items: found.map(wireDiagnostic),
        })),
      };
    }
    await this.#until(() => request.files.every((file) => this.#isThere(file)), request, token);
    const files = request.files.map((wanted) => ({
      uri: wanted.uri,
      items: languages.getDiagnostics(Uri.parse(wanted.uri)).map(wireDiagnostic),
      pending: !this.#isThere(wanted),
    }));
    return { files };
  }

  dispose(): void {
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  #came(uris: readonly Uri[]): void {
    const versions = new Map(
      workspace.textDocuments.map((each) => [each.uri.toString(), each.version]),
    );
    for (const uri of uris) {
      const version = versions.get(uri.toString());
      if (version !== undefined) {
        this.#foundFor.set(uri.toString(), version);
      }
    }
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  #isThere({ uri, version }: Wanted): boolean {
    return version === null || (this.#foundFor.get(Uri.parse(uri).toString()) ?? -1) >= version;
  }

  async #until(
    done: () => boolean,
    { seconds }: DiagnosticsRequest,
    token: CancellationToken,
  ): Promise<void> {
    if (done()) {
      return;
    }
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        cancelled.dispose();
        resolve();
      };
      const look = () => {
        if (done()) {
          end();
        }
      };
      const timer = setTimeout(end, seconds * 1000);
      const cancelled = token.onCancellationRequested(end);
      this.#waiting.add(look);
    });
  }
}

/** A finding, as the server takes it. */
export function wireDiagnostic({ range, severity, message, source }: CodeDiagnostic): Diagnostic {
  const found = { line: range.start.line + 1, severity: SEVERITIES[severity], message };
  return source === undefined ? found : { ...found, source };
}
