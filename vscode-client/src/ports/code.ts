// `glossator/code`: what VS Code's other extensions know of a name in code.

import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  type CallHierarchyOutgoingCall,
  commands,
  extensions,
  type Hover,
  Location,
  type LocationLink,
  MarkdownString,
  Position,
  type TextDocument,
  Uri,
  type WorkspaceEdit,
  workspace,
} from "vscode";
import type { CodeAnswer, CodeEdit, CodeKind, CodePlace } from "../wire.ts";

/** A name by where it is; both from 0. `newName` is given with a rename. */
export interface CodeRequest {
  readonly kind: CodeKind;
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  readonly newName: string;
  /** Of the document that the question is about; null for its file. */
  readonly version: number | null;
}

const BY = "VS Code";
const TYPESCRIPT = {
  extension: "vscode.typescript-language-features",
  request: "typescript.tsserverRequest",
  languages: ["typescript", "typescriptreact", "javascript", "javascriptreact"],
};
const LOCATIONS: Partial<Record<CodeKind, string>> = {
  definitions: "vscode.executeDefinitionProvider",
  references: "vscode.executeReferenceProvider",
  implementations: "vscode.executeImplementationProvider",
};

/** Null where no extension knows anything of the name. */
export async function code(request: CodeRequest): Promise<CodeAnswer | null> {
  const uri = Uri.parse(request.uri);
  const position = new Position(request.line, request.character);
  const document = await workspace.openTextDocument(uri); // whose text the providers know
  await isLoaded(document);
  if (request.version !== null && request.version !== document.version) {
    return null; // the place is of an older text
  }
  const command = LOCATIONS[request.kind];
  if (command) {
    const found = await commands.executeCommand<(Location | LocationLink)[]>(
      command,
      uri,
      position,
    );
    return found?.length ? { by: BY, places: found.map(place) } : null;
  }
  switch (request.kind) {
    case "callers":
    case "callees":
      return calls(request.kind, uri, position);
    case "type":
      return type(uri, position);
    default:
      return rename(uri, position, request.newName);
  }
}

/**
 * Wait until VS Code's TypeScript knows the project of a document: as long as it loads it, it answers
 * by single files, and does not say so. Only what has loaded it checks a file.
 */
async function isLoaded({ uri, languageId }: TextDocument): Promise<void> {
  const extension = extensions.getExtension(TYPESCRIPT.extension);
  if (!extension || !TYPESCRIPT.languages.includes(languageId)) {
    return;
  }
  await extension.activate();
  if ((await commands.getCommands(true)).includes(TYPESCRIPT.request)) {
    await commands.executeCommand(TYPESCRIPT.request, "syntacticDiagnosticsSync", { file: uri });
  }
}

function place(found: Location | LocationLink): CodePlace {
  return found instanceof Location
    ? { uri: found.uri.toString(), line: found.range.start.line }
    : {
        uri: found.targetUri.toString(),
        line: (found.targetSelectionRange ?? found.targetRange).start.line,
      };
}

async function calls(
  kind: "callers" | "callees",
  uri: Uri,
  position: Position,
): Promise<CodeAnswer | null> {
  const items = await commands.executeCommand<CallHierarchyItem[] | undefined>(
    "vscode.prepareCallHierarchy",
    uri,
    position,
  );
  const [item] = items ?? [];
  if (!item) {
    return null;
  }
  if (kind === "callers") {
    const incoming = await commands.executeCommand<CallHierarchyIncomingCall[]>(
      "vscode.provideIncomingCalls",
      item,
    );
    const places = incoming.flatMap(({ from, fromRanges }) =>
      fromRanges.map(({ start }) => ({
        uri: from.uri.toString(),
        line: start.line,
        name: from.name,
      })),
    );
    return { by: BY, places };
  }
  const outgoing = await commands.executeCommand<CallHierarchyOutgoingCall[]>(
    "vscode.provideOutgoingCalls",
    item,
  );
  const places = outgoing.map(({ to, fromRanges }) => ({
    uri: to.uri.toString(),
    line: to.selectionRange.start.line,
    name: to.name,
    calls: fromRanges.map(({ start }) => start.line),
  }));
  return { by: BY, places };
}

async function type(uri: Uri, position: Position): Promise<CodeAnswer | null> {
  const hovers = await commands.executeCommand<Hover[]>(
    "vscode.executeHoverProvider",
    uri,
    position,
  );
  const texts = hovers.flatMap(({ contents }) =>
    contents.filter((each) => !isOurs(each)).map((each) => textOf(each).trim()),
  );
  const text = texts.filter(Boolean).join("\n\n");
  return text ? { by: BY, text } : null;
}

type Told = Hover["contents"][number];

/** Whether a hover is Glossator's own: its links run our commands. */
function isOurs(told: Told): boolean {
  return (
    told instanceof MarkdownString &&
    typeof told.isTrusted === "object" &&
    told.isTrusted.enabledCommands.includes("glossator.gloss")
  );
}

function textOf(told: Told): string {
  return typeof told === "string" ? told : told.value;
}

async function rename(uri: Uri, position: Position, newName: string): Promise<CodeAnswer> {
  try {
    await commands.executeCommand("vscode.prepareRename", uri, position);
    const edit = await commands.executeCommand<WorkspaceEdit | undefined>(
      "vscode.executeDocumentRenameProvider",
      uri,
      position,
      newName,
    );
    return edit?.size
      ? { by: BY, edits: edits(edit) }
      : { by: BY, refused: "no extension can rename it" };
  } catch (error) {
    return { by: BY, refused: error instanceof Error ? error.message : String(error) };
  }
}

function edits(edit: WorkspaceEdit): CodeEdit[] {
  return edit.entries().flatMap(([uri, changes]) =>
    changes.map(({ range, newText }) => ({
      uri: uri.toString(),
      line: range.start.line,
      character: range.start.character,
      endLine: range.end.line,
      endCharacter: range.end.character,
      text: newText,
    })),
  );
}
