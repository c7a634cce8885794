// `glossator/saveDocuments`: what runs have changed is saved, and nothing that was typed since.

import { type CancellationToken, type TextDocument, Uri, workspace } from "vscode";
import { UserError } from "../result.ts";

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
    if (!document.isDirty || (await document.save())) {
      saved.push(uri);
    }
  }
  return { saved };
}

/** Save what the user wants saved. Throws `UserError` for what VS Code does not save. */
export async function saveOpen(uris: readonly string[]): Promise<void> {
  for (const document of uris.map(opened)) {
    if (document?.isDirty && !(await document.save())) {
      const name = workspace.asRelativePath(document.uri);
      throw new UserError(`${name} could not be saved. Look at the file.`);
    }
  }
}

function opened(uri: string): TextDocument | undefined {
  const wanted = Uri.parse(uri).toString();
  return workspace.textDocuments.find((each) => each.uri.toString() === wanted);
}
