// `glossator/saveDocuments`: what runs have changed is saved, and nothing that was typed since, nor
// what saving would damage, since VS Code reads its file in another encoding than it is in.

import { type CancellationToken, FileSystemError, type TextDocument, Uri, workspace } from "vscode";
import { warn } from "../notices.ts";
import { messageOf, UserError } from "../result.ts";

const warned = new WeakSet<TextDocument>();

/** What the server sends: open documents, each with the version that it may be saved at. */
export interface SaveRequest {
  readonly documents: ReadonlyArray<{ readonly uri: string; readonly version: number }>;
}

/** Save those that still have that version; gives those that are on disk as they are here. */
export async function save(
  { documents }: SaveRequest,
  token: CancellationToken,
): Promise<{ saved: string[] }> {
  const saved: string[] = [];
  for (const { uri, version } of documents) {
    const document = opened(uri);
    if (token.isCancellationRequested || document?.version !== version) {
      continue;
    }
    const harm = document.isDirty ? await harmOf(document) : undefined;
    if (harm !== undefined) {
      tellOnce(document, harm);
    } else if (document.version === version && (!document.isDirty || (await document.save()))) {
      saved.push(uri);
    }
  }
  return { saved };
}

/** The files that are open with something that is not on disk: texts and notebooks. */
export function unsaved(): Uri[] {
  return [...workspace.textDocuments, ...workspace.notebookDocuments]
    .filter(({ isDirty, uri }) => isDirty && uri.scheme === "file")
    .map(({ uri }) => uri);
}

/** Save what the user wants saved. Throws `UserError` for what VS Code does not save. */
export async function saveOpen(uris: readonly string[]): Promise<void> {
  const wanted = uris.map((uri) => Uri.parse(uri).toString());
  for (const notebook of workspace.notebookDocuments) {
    const isWanted = notebook.isDirty && wanted.includes(notebook.uri.toString());
    if (isWanted && !(await notebook.save())) {
      throw new UserError(`${nameOf(notebook)} could not be saved. Look at the file.`);
    }
  }
  for (const document of uris.map(opened)) {
    if (!document?.isDirty) {
      continue;
    }
    const harm = await harmOf(document);
    if (harm !== undefined) {
      throw new UserError(harm);
    }
    if (!(await document.save())) {
      throw new UserError(`${nameOf(document)} could not be saved. Look at the file.`);
    }
  }
}

/** What saving a document would do to its file; `undefined` if it only writes what was changed. */
async function harmOf(document: TextDocument): Promise<string | undefined> {
  const name = nameOf(document);
  const as = { encoding: document.encoding };
  try {
    const text = document.getText();
    if ((await workspace.decode(await workspace.encode(text, as), as)) !== text) {
      return `${name} is not saved: its encoding, ${as.encoding}, lacks characters of its text. Choose another with "Save with Encoding".`;
    }
    const bytes = await workspace.fs.readFile(document.uri);
    const read = await workspace.decode(bytes, as);
    const isSame = Buffer.compare(bytes, await workspace.encode(read, as)) === 0;
    if (isSame && [undefined, read].includes(asUnicode(bytes))) {
      return undefined;
    }
    return `${name} is not saved: VS Code reads it as ${as.encoding}, which it is not. Choose its encoding with "Reopen with Encoding".`;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === "FileNotFound") {
      return undefined;
    }
    return `${name} is not saved: it cannot be compared with its file (${messageOf(error)}).`;
  }
}

/** The text of UTF-8; `undefined` for other bytes. */
function asUnicode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function tellOnce(document: TextDocument, harm: string): void {
  if (!warned.has(document)) {
    warned.add(document);
    void warn(harm);
  }
}

function nameOf({ uri }: Pick<TextDocument, "uri">): string {
  return workspace.asRelativePath(uri);
}

function opened(uri: string): TextDocument | undefined {
  const wanted = Uri.parse(uri).toString();
  return workspace.textDocuments.find((each) => each.uri.toString() === wanted);
}
