// Generated contexts for Search: what they cost is shown in a question before anything is sent.

import { confirm, inform, warn } from "../notices.ts";
import type { ContextsEstimate } from "../wire.ts";
import { during } from "./during.ts";
import type { CommandTable, Parts } from "./parts.ts";

const SINGLY = "Make One by One";
const BATCH = "Make as a Batch";

/** The command. */
export function contexts(parts: Parts) {
  return { "glossator.generateContexts": () => generate(parts) } satisfies CommandTable;
}

async function generate({ server }: Parts): Promise<void> {
  const estimate = await during("estimating contexts for Search", (token) =>
    server.run("glossator.estimateContexts", {}, token),
  );
  if (estimate.chunks + estimate.underWay === 0) {
    void inform(estimate.inWords);
    return;
  }
  const batched = estimate.chunks > 0 ? await chosen(estimate) : false;
  if (batched === undefined) {
    return;
  }
  const { made, failed, problems, stopped, cost } = await server.run("glossator.generateContexts", {
    confirmed: true,
    batched,
  });
  const done = [`${made.toLocaleString()} contexts were made.`, cost && `Cost: ${cost}`, stopped];
  const told = [...done, ...problems].filter(Boolean).join(" ");
  void (failed > 0 || stopped ? warn(told) : inform(told));
}

/** Whether as a batch; undefined if nothing is to be sent. */
async function chosen(estimate: ContextsEstimate): Promise<boolean | undefined> {
  const { files, chunks, model, inWords, takesBatches } = estimate;
  const question = `Send ${files.toLocaleString()} files to ${model}, for ${chunks.toLocaleString()} contexts?`;
  const buttons = takesBatches ? [SINGLY, BATCH] : [SINGLY];
  const pressed = await confirm(question, inWords.replaceAll(/\. (?=[A-Z])/g, ".\n"), ...buttons);
  return pressed === undefined ? undefined : pressed === BATCH;
}
