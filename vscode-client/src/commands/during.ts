// Work that takes a while, with a notification that can cancel it.

import { type CancellationToken, ProgressLocation, window } from "vscode";

/** Show `title` while `work` runs. */
export async function during<T>(
  title: string,
  work: (token: CancellationToken) => Promise<T>,
): Promise<T> {
  const options = {
    location: ProgressLocation.Notification,
    title: `Glossator: ${title}`,
    cancellable: true,
  };
  return await window.withProgress(options, (_progress, token) => work(token));
}
