// `glossator/diagnostics`: what VS Code's other extensions find wrong.
//
// VS Code does not say which version of a document findings are for. They count as being for the
// version that the document had when they came. Nor does it say who checks a document: nobody does
// where no extension is for its language, and none ever told findings of it. Those that no
// tab shows count by themselves: VS Code's own TypeScript never checks them.

import {
  type CancellationToken,
  type Diagnostic as CodeDiagnostic,
  DiagnosticSeverity,
  type Disposable,
  extensions,
  languages,
  TabInputText,
  type TextDocument,
  Uri,
  window,
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

const OURS = "glossator.glossator";
const ONLY_SHOWN = "vscode.typescript-language-features"; // checks what a tab shows

/** Listens to findings as they come. */
export class DiagnosticsPort implements Disposable {
  readonly #foundFor = new Map<string, number>(); // URI -> the newest version with findings
  readonly #checked = new Set<string>(); // kinds of documents that findings came for
  readonly #waiting = new Set<() => void>();
  readonly #listening = [
    languages.onDidChangeDiagnostics(({ uris }) => this.#came(uris)),
    workspace.onDidCloseTextDocument(({ uri }) => this.#foundFor.delete(uri.toString())),
  ];

  /** The findings wanted, or all there are; a document that nobody checks is left out. */
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
    const awaited = request.files.filter(({ uri }) => this.#isChecked(uri));
    await this.#until(() => awaited.every((file) => this.#isThere(file)), request, token);
    const files = request.files.map((wanted) => ({
      uri: wanted.uri,
      items: languages.getDiagnostics(Uri.parse(wanted.uri)).map(wireDiagnostic),
      pending: !this.#isThere(wanted),
    }));
    return { files: files.filter(({ uri, items }) => items.length > 0 || this.#isChecked(uri)) };
  }

  dispose(): void {
    for (const each of this.#listening) {
      each.dispose();
    }
  }

  #came(uris: readonly Uri[]): void {
    const open = new Map(workspace.textDocuments.map((each) => [each.uri.toString(), each]));
    for (const uri of uris) {
      const document = open.get(uri.toString());
      if (document) {
        this.#foundFor.set(uri.toString(), document.version);
        this.#checked.add(kindOf(document));
      }
    }
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  #isThere({ uri, version }: Wanted): boolean {
    return version === null || (this.#foundFor.get(Uri.parse(uri).toString()) ?? -1) >= version;
  }

  /** Whether somebody may check a document; nobody does that of one that VS Code does not hold. */
  #isChecked(uri: string): boolean {
    const wanted = Uri.parse(uri).toString();
    const document = workspace.textDocuments.find((each) => each.uri.toString() === wanted);
    return document !== undefined && (this.#checked.has(kindOf(document)) || isServed(document));
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

/** Whether an extension with a program is there for the language of a document. */
function isServed(document: TextDocument): boolean {
  const event = `onLanguage:${document.languageId}`;
  const others = isShown(document) ? [OURS] : [OURS, ONLY_SHOWN];
  return extensions.all.some(
    ({ id, packageJSON: { main, activationEvents } }) =>
      main !== undefined && activationEvents?.includes(event) && !others.includes(id),
  );
}

/** Its language, and whether a tab shows it. */
function kindOf(document: TextDocument): string {
  return `${document.languageId} ${isShown(document)}`;
}

function isShown({ uri }: TextDocument): boolean {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  const shown = tabs.map(({ input }) => (input instanceof TabInputText ? input.uri : undefined));
  return shown.some((each) => each?.toString() === uri.toString());
}

/** A finding, as the server takes it. */
export function wireDiagnostic({ range, severity, message, source }: CodeDiagnostic): Diagnostic {
  const found = { line: range.start.line + 1, severity: SEVERITIES[severity], message };
  return source === undefined ? found : { ...found, source };
}
