// Sessions: begin, resume, rename, delete, export, compact, ask again.

import { Uri, window, workspace } from "vscode";
import { Newest } from "../newest.ts";
import { confirm, inform } from "../notices.ts";
import { UserError } from "../result.ts";
import { labelled } from "../shown.ts";
import { TYPING_MILLISECONDS } from "../typing.ts";
import type { SessionInfo } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import { showFailure } from "./failures.ts";
import type { Workbench } from "./workbench.ts";

/** The commands. Each may be given a session's id; without one the user chooses. */
export function sessions(bench: Workbench) {
  const { chat } = bench;
  const chosen = (title: string, given: unknown) => choose(bench, title, given);
  return {
    "glossator.newSession": async () => {
      chat.show();
      await bench.panel.reveal();
    },
    "glossator.resumeSession": async (given) => {
      const session = await chosen("Resume a session", given);
      if (session) {
        await bench.panel.reveal();
        await chat.resume(session.id);
      }
    },
    "glossator.takeOver": async () => {
      const sessionId = currentSession(bench);
      await bench.panel.reveal();
      await chat.conversations.takeOver(sessionId);
    },
    "glossator.renameSession": async (given, words) => {
      if (typeof given === "string" && typeof words === "string" && words) {
        await chat.conversations.rename(given, words);
        return;
      }
      const session = await chosen("Rename a session", given);
      const options = { title: "Glossator: rename session", value: session?.title ?? "" };
      const title = session && (await window.showInputBox(options))?.trim();
      if (session && title) {
        await chat.conversations.rename(session.id, title);
      }
    },
    "glossator.deleteSession": async (given) => {
      const session = await chosen("Delete a session", given);
      if (session && (await confirmed(session))) {
        await chat.conversations.remove(session.id);
        bench.choices.gone(session.id);
      }
    },
    "glossator.exportSession": async (given) => {
      const session = await chosen("Export a session", given);
      if (session) {
        await exportSession(bench, session.id);
      }
    },
    "glossator.compact": () => compact(bench),
    "glossator.retry": async () => {
      await bench.panel.reveal();
      await chat.again();
    },
  } satisfies CommandTable;
}

/** The session that is shown. Throws `UserError` if nothing was asked yet. */
export function currentSession({ chat }: Pick<Workbench, "chat">): string {
  if (chat.sessionId === undefined) {
    throw new UserError("Nothing was asked in this session yet. Ask something, or resume one.");
  }
  return chat.sessionId;
}

async function choose(
  bench: Workbench,
  title: string,
  given: unknown,
): Promise<SessionInfo | undefined> {
  const listed = await bench.chat.conversations.list();
  if (typeof given === "string") {
    return listed.find((session) => session.id === given);
  }
  if (listed.length === 0) {
    throw new UserError("There are no sessions of this workspace yet. Ask something to begin one.");
  }
  return await picked(bench, title, listed);
}

/** The sessions whose titles and questions hold what is typed; the server looks for them. */
async function picked(
  { chat, log }: Workbench,
  title: string,
  all: readonly SessionInfo[],
): Promise<SessionInfo | undefined> {
  const itemOf = (session: SessionInfo) => ({
    session,
    label: `${session.id === chat.sessionId ? "$(comment-discussion)" : "$(comment)"} ${labelled(session.title)}`,
    description: new Date(session.updatedAt).toLocaleString(),
    detail: stateOf(session) || labelled(session.found),
    alwaysShow: true,
  });
  const picker = window.createQuickPick<ReturnType<typeof itemOf>>();
  picker.title = `Glossator: ${title.toLowerCase()}`;
  picker.placeholder = "Words of its title or its questions";
  picker.items = all.map(itemOf);
  const searches = new Newest();
  const look = async (words: string) => {
    try {
      const found = await searches.run((token) => chat.conversations.list(words, token));
      if (found) {
        picker.items = found.map(itemOf);
        picker.busy = false;
      }
    } catch (error) {
      picker.hide();
      void showFailure(error, log);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  picker.onDidChangeValue((words) => {
    clearTimeout(timer);
    picker.busy = true;
    timer = setTimeout(() => void look(words), TYPING_MILLISECONDS);
  });
  const taken = new Promise<SessionInfo | undefined>((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]?.session);
      picker.hide();
    });
    picker.onDidHide(() => resolve(undefined));
  });
  picker.show();
  return await taken.finally(() => {
    clearTimeout(timer);
    picker.dispose();
  });
}

function stateOf({ running, elsewhere }: SessionInfo): string {
  return elsewhere ? `open in ${elsewhere}` : running ? "running" : "";
}

async function confirmed({ title }: SessionInfo): Promise<boolean> {
  const detail = "Its messages and what can be undone with it go for good. Files stay as they are.";
  const question = `Delete "${title}"?`;
  return (await confirm(question, detail, "Delete")) === "Delete";
}

async function exportSession({ server }: Workbench, sessionId: string): Promise<void> {
  const { fileName, text } = await server.run("glossator.exportSession", { sessionId });
  const [folder] = workspace.workspaceFolders ?? [];
  const defaultUri = folder ? Uri.joinPath(folder.uri, fileName) : Uri.file(fileName);
  const target = await window.showSaveDialog({ defaultUri, filters: { Markdown: ["md"] } });
  if (target) {
    await workspace.fs.writeFile(target, new TextEncoder().encode(text));
    await window.showTextDocument(target);
  }
}

async function compact(bench: Workbench): Promise<void> {
  const sessionId = currentSession(bench);
  const { before, after, byModel } = await during("compacting the conversation", (token) =>
    bench.server.run("glossator.compact", { sessionId }, token),
  );
  const how = byModel ? "" : " The summary was made without a model.";
  const figures = `about ${before.toLocaleString()} to ${after.toLocaleString()} tokens`;
  void inform(`The conversation is shorter now: from ${figures}.${how}`);
  await bench.refresh();
}
