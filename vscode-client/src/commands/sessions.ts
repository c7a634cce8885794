// Sessions: begin, resume, rename, delete, export, compact, ask again.

import { env, TabInputNotebook, TabInputText, Uri, window, workspace } from "vscode";
import { Newest } from "../newest.ts";
import { confirm, inform, titled } from "../notices.ts";
import { saveOpen, unsaved } from "../ports/saves.ts";
import { UserError } from "../result.ts";
import { labelled } from "../shown.ts";
import { TYPING_MILLISECONDS } from "../typing.ts";
import { ACTS, type SessionInfo } from "../wire.ts";
import { detailOf } from "../worktree.ts";
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
    "glossator.takeOver": async (given) => {
      const sessionId = typeof given === "string" ? given : currentSession(bench);
      await bench.panel.reveal();
      await chat.conversations.takeOver(sessionId);
      if (chat.sessionId !== sessionId) {
        await chat.resume(sessionId);
      }
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
      if (session && (await confirmed(session)) && (await isThrownAway(bench, session))) {
        await chat.conversations.remove(session.id);
        bench.choices.gone(session.id);
      }
    },
    "glossator.mergeWorktree": async (given) => {
      const session = await inWorktree(bench, `${ACTS.merge} the worktree of a session`, given);
      if (session && (await isWanted(session))) {
        await merge(bench, session);
      }
    },
    "glossator.discardWorktree": async (given) => {
      const session = await inWorktree(bench, `${ACTS.discard} the worktree of a session`, given);
      if (session) {
        await isThrownAway(bench, session);
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
  fits: (session: SessionInfo) => boolean = () => true,
): Promise<SessionInfo | undefined> {
  const listed = await bench.chat.conversations.list();
  if (typeof given === "string") {
    return listed.find((session) => session.id === given);
  }
  if (listed.length === 0) {
    throw new UserError("There are no sessions of this workspace yet. Ask something to begin one.");
  }
  return await picked(bench, title, listed.filter(fits), fits);
}

/** The sessions whose titles and questions hold what is typed; the server looks for them. */
async function picked(
  { chat, log }: Workbench,
  title: string,
  all: readonly SessionInfo[],
  fits: (session: SessionInfo) => boolean,
): Promise<SessionInfo | undefined> {
  const itemOf = (session: SessionInfo) => ({
    session,
    label: `${session.id === chat.sessionId ? "$(comment-discussion)" : "$(comment)"} ${labelled(session.title)}`,
    description: new Date(session.updatedAt).toLocaleString(),
    detail: detailOf(session),
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
        picker.items = found.filter(fits).map(itemOf);
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

/** A session with a worktree that is open. */
async function inWorktree(
  bench: Workbench,
  title: string,
  given: unknown,
): Promise<SessionInfo | undefined> {
  const session = await choose(bench, title, given, ({ worktree }) => worktree?.state === "open");
  if (session && session.worktree?.state !== "open") {
    throw new UserError("This session has no worktree now: it works in your files, or is over.");
  }
  return session;
}

/** Ask before a merge; then all files are on disk: it would change those below what was typed. */
async function isWanted({ title, worktree }: SessionInfo): Promise<boolean> {
  const open = unsaved();
  const names = labelled(open.map((uri) => workspace.asRelativePath(uri)).join(", "));
  const what = `What "${labelled(title)}" has done is committed and merged, and its worktree goes.`;
  const detail = open.length > 0 ? `${what} Not saved yet: ${names}.` : what;
  const question = `${ACTS.merge} ${worktree?.branch} into ${worktree?.into || "your branch"}?`;
  const button = open.length > 0 ? `Save and ${ACTS.merge}` : ACTS.merge;
  if ((await confirm(question, detail, button)) === undefined) {
    return false;
  }
  await saveOpen(open.map(String));
  return true;
}

async function merge(bench: Workbench, session: SessionInfo): Promise<void> {
  const { branch, into, before, files } = await bench.chat.conversations.merge(
    session.id,
    session.worktree?.into ?? "",
  );
  await leave(bench, session);
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const back = `git reset --keep ${before.slice(0, 12)}`;
  const copy = "Copy the Undo Command";
  const undoing = `To take it back: ${back}, before you commit anything else.`;
  const told = `Merged ${branch} into ${into}: ${count}. ${undoing}`;
  void inform(told, copy).then((pressed) => {
    if (pressed === copy) {
      void env.clipboard.writeText(back);
    }
  });
}

/** Throw its worktree away, if it has one; false: the user keeps what would be lost. */
async function isThrownAway(bench: Workbench, session: SessionInfo): Promise<boolean> {
  const { chat } = bench;
  if (session.worktree?.state !== "open") {
    return true;
  }
  const { branch, lost } = await chat.conversations.discard(session.id, false);
  if (lost !== "") {
    const exist = /^1 \D*$/.test(lost) ? "It exists" : "They exist";
    const detail = `"${labelled(session.title)}" has ${lost}. ${exist} nowhere else.`;
    const pressed = await confirm(`${ACTS.discard} ${branch}?`, detail, titled(ACTS.discard));
    if (pressed === undefined) {
      return false;
    }
    await chat.conversations.discard(session.id, true);
  }
  await leave(bench, session);
  return true;
}

/** Mark nothing any more in files that are gone with a worktree, and close their editors. */
async function leave({ changes }: Workbench, { id, worktree }: SessionInfo): Promise<void> {
  changes.keepAll(id);
  const folders = (worktree?.folders ?? []).map((folder) => `${Uri.file(folder).path}/`);
  const gone = window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input, isDirty }) =>
        !isDirty &&
        (input instanceof TabInputText || input instanceof TabInputNotebook) &&
        folders.some((folder) => input.uri.path.startsWith(folder)),
    );
  await window.tabGroups.close(gone, true);
}

async function confirmed({ title, worktree }: SessionInfo): Promise<boolean> {
  const detail =
    worktree?.state === "open"
      ? `Its messages go for good, and its worktree with all files in it and the branch ${worktree.branch}. Your own files stay as they are.`
      : "Its messages and what can be undone with it go for good. Files stay as they are.";
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
