// Work that may take a while, with a notification that can cancel it.

import { setTimeout as after } from "node:timers/promises";
import { type CancellationToken, CancellationTokenSource, ProgressLocation, window } from "vscode";

/** What is done sooner is not announced: the notification would only flash, and VS Code shows no more
 * than three within 0.8 s, so that the one that says how the work ended could be missing. */
const UNANNOUNCED = 500; // milliseconds

const LATE = Symbol("not done yet");

/** Show `title` while `work` runs, unless it is done at once. */
export async function during<T>(
  title: string,
  work: (token: CancellationToken) => Promise<T>,
): Promise<T> {
  const cancelled = new CancellationTokenSource();
  const working = work(cancelled.token);
  const first = await Promise.race([working, after(UNANNOUNCED, LATE)]);
  if (first !== LATE) {
    return first;
  }
  const options = {
    location: ProgressLocation.Notification,
    title: `Glossator: ${title}`,
    cancellable: true,
  };
  return await window.withProgress(options, (_progress, token) => {
    token.onCancellationRequested(() => cancelled.cancel());
    return working;
  });
}
