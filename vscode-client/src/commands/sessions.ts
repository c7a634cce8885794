// Sessions: begin, resume, rename, delete, export, compact, ask again.

import { Uri, window, workspace } from "vscode";
import { confirm, inform } from "../notices.ts";
import { UserError } from "../result.ts";
import { labelled } from "../shown.ts";
import type { SessionInfo } from "../wire.ts";
import { during } from "./during.ts";
import type { CommandTable, Parts } from "./parts.ts";

/** The commands. Each may be given a session's id; without one the user chooses. */
export function sessions(parts: Parts) {
  const { chat } = parts;
  const chosen = (title: string, given: unknown) => choose(parts, title, given);
  return {
    "glossator.newSession": async () => {
      chat.show();
      await parts.panel.reveal();
    },
    "glossator.resumeSession": async (given) => {
      const session = await chosen("Resume a session", given);
      if (session) {
        await parts.panel.reveal();
        await chat.resume(session.id);
      }
    },
    "glossator.renameSession": async (given, words) => {
      if (typeof given === "string" && typeof words === "string" && words) {
        await chat.rename(given, words);
        return;
      }
      const session = await chosen("Rename a session", given);
      const options = { title: "Glossator: rename session", value: session?.title ?? "" };
      const title = session && (await window.showInputBox(options))?.trim();
      if (session && title) {
        await chat.rename(session.id, title);
      }
    },
    "glossator.deleteSession": async (given) => {
      const session = await chosen("Delete a session", given);
      if (session && (await confirmed(session))) {
        await chat.remove(session.id);
      }
    },
    "glossator.exportSession": async (given) => {
      const session = await chosen("Export a session", given);
      if (session) {
        await exportSession(parts, session.id);
      }
    },
    "glossator.compact": () => compact(parts),
    "glossator.retry": async () => {
      await parts.panel.reveal();
      await chat.again();
    },
  } satisfies CommandTable;
}

/** The session that is shown. Throws `UserError` if nothing was asked yet. */
export function currentSession({ chat }: Pick<Parts, "chat">): string {
  if (chat.sessionId === undefined) {
    throw new UserError("Nothing was asked in this session yet. Ask something, or resume one.");
  }
  return chat.sessionId;
}

async function choose(
  { chat }: Parts,
  title: string,
  given: unknown,
): Promise<SessionInfo | undefined> {
  const listed = await chat.list();
  if (typeof given === "string") {
    return listed.find((session) => session.id === given);
  }
  if (listed.length === 0) {
    throw new UserError("There are no sessions of this workspace yet. Ask something to begin one.");
  }
  const items = listed.map((session) => ({
    session,
    label: `${session.id === chat.sessionId ? "$(comment-discussion)" : "$(comment)"} ${labelled(session.title)}`,
    description: new Date(session.updatedAt).toLocaleString(),
    detail: session.running ? "being answered" : "",
  }));
  const picked = await window.showQuickPick(items, {
    title: `Glossator: ${title.toLowerCase()}`,
    placeHolder: "Type to find one",
    matchOnDescription: true,
  });
  return picked?.session;
}

async function confirmed({ title }: SessionInfo): Promise<boolean> {
  const detail = "Its messages and what can be undone with it go for good. Files stay as they are.";
  const question = `Delete "${title}"?`;
  return (await confirm(question, detail, "Delete")) === "Delete";
}

async function exportSession({ server }: Parts, sessionId: string): Promise<void> {
  const { fileName, text } = await server.run("glossator.exportSession", { sessionId });
  const [folder] = workspace.workspaceFolders ?? [];
  const defaultUri = folder ? Uri.joinPath(folder.uri, fileName) : Uri.file(fileName);
  const target = await window.showSaveDialog({ defaultUri, filters: { Markdown: ["md"] } });
  if (target) {
    await workspace.fs.writeFile(target, new TextEncoder().encode(text));
    await window.showTextDocument(target);
  }
}

async function compact(parts: Parts): Promise<void> {
  const sessionId = currentSession(parts);
  const { before, after, byModel } = await during("compacting the conversation", (token) =>
    parts.server.run("glossator.compact", { sessionId }, token),
  );
  const how = byModel ? "" : " The summary was made without a model.";
  const figures = `about ${before.toLocaleString()} to ${after.toLocaleString()} tokens`;
  void inform(`The conversation is shorter now: from ${figures}.${how}`);
  await parts.refresh();
}
