// `glossator/saveDocuments`: what only this session has changed is saved before a command runs.

import { type CancellationToken, Uri, workspace } from "vscode";

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
    const wanted = Uri.parse(uri).toString();
    const document = workspace.textDocuments.find((each) => each.uri.toString() === wanted);
    if (token.isCancellationRequested || document?.version !== version) {
      continue;
    }
    if (!document.isDirty || (await document.save())) {
      saved.push(uri);
    }
  }
  return { saved };
}
