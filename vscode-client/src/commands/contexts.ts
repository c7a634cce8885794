// Generated contexts for Search: what they cost is shown in a question before anything is sent. They
// are shared as a file.

import { Uri, window, workspace } from "vscode";
import { confirm, inform, warn } from "../notices.ts";
import { messageOf, UserError } from "../result.ts";
import type { ContextsAnswer, ContextsEstimate } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { CANCELLED, ended, exported, imported, made, NONE_TO_EXPORT } from "./contexts-told.ts";
import { during } from "./during.ts";
import { isCancelled } from "./failures.ts";
import type { Workbench } from "./workbench.ts";

const SINGLY = "Make One by One";
const BATCH = "Make as a Batch";
const FILE = "contexts.jsonl";
const FILTERS = { "Exported contexts": ["jsonl"], "All files": ["*"] };

/** The commands. */
export function contexts(bench: Workbench) {
  return {
    "glossator.generateContexts": () => generate(bench),
    "glossator.exportContexts": () => exportFile(bench),
    "glossator.importContexts": () => importFile(bench),
    "glossator.endBatches": () => endBatches(bench),
  } satisfies CommandTable;
}

async function generate({ server }: Workbench): Promise<void> {
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
  let answer: ContextsAnswer;
  try {
    // How far it is, and what it cost until then, the server shows in the status bar.
    answer = await during("generating contexts for Search", (token) =>
      server.run("glossator.generateContexts", { confirmed: true, batched }, token),
    );
  } catch (error) {
    if (!isCancelled(error)) {
      throw error;
    }
    void inform(CANCELLED);
    return;
  }
  const { message, bad } = made(answer);
  void (bad ? warn(message) : inform(message));
}

/** Whether as a batch; undefined if nothing is to be sent. */
async function chosen(estimate: ContextsEstimate): Promise<boolean | undefined> {
  const { files, chunks, model, inWords, takesBatches } = estimate;
  const question = `Send ${files.toLocaleString()} files to ${model}, for ${chunks.toLocaleString()} contexts?`;
  const buttons = takesBatches ? [SINGLY, BATCH] : [SINGLY];
  const pressed = await confirm(question, inWords.replaceAll(/\. (?=[A-Z])/g, ".\n"), ...buttons);
  return pressed === undefined ? undefined : pressed === BATCH;
}

async function exportFile({ server }: Workbench): Promise<void> {
  const { text, count } = await during("collecting contexts", (token) =>
    server.run("glossator.exportContexts", {}, token),
  );
  if (count === 0) {
    void inform(NONE_TO_EXPORT);
    return;
  }
  const [folder] = workspace.workspaceFolders ?? [];
  const defaultUri = folder ? Uri.joinPath(folder.uri, FILE) : Uri.file(FILE);
  const title = "Export Contexts";
  const target = await window.showSaveDialog({ title, defaultUri, filters: FILTERS });
  if (!target) {
    return;
  }
  try {
    await workspace.fs.writeFile(target, new TextEncoder().encode(text));
  } catch (error) {
    throw new UserError(
      `The contexts were not written to ${target.fsPath} (${messageOf(error)}). Choose another place.`,
    );
  }
  void inform(exported(count, target.fsPath));
}

async function importFile({ server }: Workbench): Promise<void> {
  const title = "Import Contexts";
  const [file] = (await window.showOpenDialog({ title, filters: FILTERS })) ?? [];
  if (file) {
    const text = await textOf(file);
    const { count } = await during("taking in contexts", (token) =>
      server.run("glossator.importContexts", { text }, token),
    );
    void inform(imported(count));
  }
}

/** Throws `UserError` for what cannot be read as text. */
async function textOf(file: Uri): Promise<string> {
  try {
    const bytes = await workspace.fs.readFile(file);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UserError(
      `${file.fsPath} cannot be read (${messageOf(error)}). Choose a file that Export Contexts wrote.`,
    );
  }
}

async function endBatches({ server }: Workbench): Promise<void> {
  const { count } = await server.run("glossator.endBatches", {});
  void inform(ended(count));
}
