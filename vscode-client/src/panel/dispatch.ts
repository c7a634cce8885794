// What the panel says, done.

import { commands, env, Uri, workspace } from "vscode";
import type { Asking } from "../chat/asking.ts";
import type { Chat } from "../chat/chat.ts";
import { plural } from "../commands/markdown.ts";
import { changePlan, startPlan } from "../commands/plans.ts";
import { currentSession } from "../commands/sessions.ts";
import { callOf, nearest, slashOf, unknownSlash } from "../commands/slash.ts";
import type { Workbench } from "../commands/workbench.ts";
import { fileChips } from "../editor/chips.ts";
import { besideChat } from "../editor/columns.ts";
import { openChanges, openDiff } from "../editor/diff.ts";
import { insertAtCursor } from "../editor/insert.ts";
import { isPicture, pastedChip } from "../editor/pasted.ts";
import { showText } from "../editor/texts.ts";
import { confirm, inform } from "../notices.ts";
import type { Inquiries } from "../ports/inquiries.ts";
import { saveOpen } from "../ports/saves.ts";
import { messageOf, UserError } from "../result.ts";
import type { SessionWorktree } from "../wire.ts";
import { folderOf } from "./folders.ts";
import type { Chip, ToHost } from "./messages.ts";

const AS_IT_IS = "Send as It Is";

/** Do what a message of the panel asks for. */
export async function dispatch(
  message: ToHost,
  bench: Workbench,
  inquiries: Inquiries,
): Promise<void> {
  const { chat } = bench;
  const { queueing } = chat.conversations;
  switch (message.type) {
    case "ready":
    case "focused":
      return; // the panel has heard it
    case "ask":
      return await askOrDo(message, bench);
    case "queue":
      return await queueing.add(chat.shown, message.message, message.steers);
    case "queued":
      return await changeQueued(message, chat);
    case "requeued":
      return await queueing.change(chat.shown, (queue) =>
        queue.change(message.id, {
          state: "waiting",
          ...(message.question === null ? {} : { question: message.question }),
        }),
      );
    case "sendQueued":
      return await queueing.goOn(chat.shown);
    case "stop":
      return await chat.stop(message.runId);
    case "stopAgent":
      return await chat.stopAgent(message.agentId);
    case "showAgent":
      return await showAgent(message.agentId, bench);
    case "permissionAnswer":
    case "questionAnswer":
    case "reviewAnswer":
      return inquiries.answer(message.id, message.answer);
    case "leaveOut":
      return inquiries.leaveOut(message.id, message.part, message.out);
    case "openAsked":
      return await inquiries.open(message.id);
    case "open":
      return await open(message, bench);
    case "openPath":
      return await bench.spans.openPath(
        message.path,
        message.line,
        message.lastLine,
        chat.session?.worktree?.state === "open" ? chat.session.worktree.folders : [],
      );
    case "inform":
      await inform(message.text);
      return;
    case "openDiff":
      return await openDiff(message.plan);
    case "toolOutput":
      return await tellOutput(message.callId, bench);
    case "openOutput":
      return await showText(message.name, message.text, "plaintext");
    case "showJob":
      return await bench.jobs.show(message.job);
    case "stopJob":
      return await bench.jobs.stop(message.job);
    case "openChange":
      return await openChange(message, bench);
    case "insert":
      return await insertAtCursor(message.text);
    case "copy":
      return await env.clipboard.writeText(message.text);
    case "complete":
      return await complete(message.number, message.text, bench);
    case "preview":
      return await showPreview(message, bench);
    case "pasted":
      return compose(await pastedChip(bench.pasted, message.mime, message.base64), bench);
    case "dropped":
      return await dropped(message.uris, bench);
    case "listSessions":
      return await list(bench, message.words);
    case "handedOver": // who moves the session takes it
      return;
    case "newSession":
      return chat.show();
    case "resumeSession":
      return await chat.resume(message.id);
    case "takeOver":
      return await bench.run("glossator.takeOver", message.id);
    case "renameSession":
      await chat.conversations.rename(message.id, message.title);
      return await list(bench);
    case "deleteSession":
      await bench.run("glossator.deleteSession", message.id);
      return await list(bench);
    case "mergeWorktree":
      await bench.run("glossator.mergeWorktree", message.id);
      return await list(bench);
    case "discardWorktree":
      await bench.run("glossator.discardWorktree", message.id);
      return await list(bench);
    case "undoTurn":
      return await bench.run("glossator.undoTurn", message.runId, message.paths);
    case "save":
      return await saveOpen(message.uris);
    case "keepAll":
      return bench.changes.keepAll(currentSession(bench));
    case "redoTurn":
      return await bench.run("glossator.redoTurn", message.runId);
    case "setMode":
      return await bench.run("glossator.setMode", message.mode);
    case "startPlan":
      return await startPlan(bench, message.mode);
    case "leavePlan":
      return bench.plans.leave(currentSession(bench));
    case "changePlan":
      return await changePlan(bench, message.words);
    case "setModel":
      return await bench.run("glossator.setModel", message.model);
    case "manageTrust":
      await commands.executeCommand("workbench.trust.manage");
      return;
    case "showSources":
      await commands.executeCommand("glossator.context.focus");
      return;
    case "command":
      return await bench.run(message.command);
  }
}

/** What the user does with a message that waits. */
async function changeQueued(
  { id, act }: Extract<ToHost, { type: "queued" }>,
  { conversations: { queueing }, shown }: Chat,
): Promise<void> {
  switch (act) {
    case "send":
      return await queueing.send(shown, id);
    case "takeBack":
      return queueing.takeBack(id);
    case "remove":
      return await queueing.change(shown, (queue) => queue.remove(id));
    case "edit":
      return await queueing.change(shown, (queue) => queue.change(id, { state: "editing" }));
    default:
      return await queueing.change(shown, (queue) => queue.move(id, act));
  }
}

/** Lines in an editor, a folder where files are listed, anything else as VS Code shows it. */
async function open(
  message: Extract<ToHost, { type: "open" }>,
  { chat, spans }: Workbench,
): Promise<void> {
  const { firstLine, lastLine } = message;
  const uri = whereNow(Uri.parse(message.uri), chat.session?.worktree);
  if (message.uri.endsWith("/")) {
    await commands.executeCommand("revealInExplorer", uri);
  } else if (isPicture(uri)) {
    await commands.executeCommand("vscode.open", uri, besideChat());
  } else {
    await spans.open(uri, firstLine, lastLine);
  }
}

/** A file of a worktree that was merged is one of the workspace. */
function whereNow(uri: Uri, worktree: SessionWorktree | null | undefined): Uri {
  const merged = worktree?.state === "merged" ? worktree : { folders: [], name: "" };
  const folders = (workspace.workspaceFolders ?? []).map((each) => each.uri);
  for (const folder of merged.folders.map((each) => Uri.file(each).path)) {
    const at = folderOf(
      folder,
      merged.name,
      folders.map(({ path }) => path),
    );
    const mine = folders[at];
    if (mine && uri.path.startsWith(`${folder}/`)) {
      return Uri.joinPath(mine, uri.path.slice(folder.length));
    }
  }
  return uri;
}

/** What it did, as a text to read. */
async function showAgent(agentId: string, bench: Workbench): Promise<void> {
  const sessionId = currentSession(bench);
  const { agent, text } = await bench.server.run("glossator.showAgent", { sessionId, agentId });
  await showText(`What ${agent.name} did.md`, text, "markdown"); // no preview: pictures would be loaded
}

/** What a call gave, from the session's record. */
async function tellOutput(callId: string, bench: Workbench): Promise<void> {
  const { server, panel } = bench;
  try {
    const request = { sessionId: currentSession(bench), callId };
    const { text, images } = await server.run("glossator.toolOutput", request);
    const more = images > 0 ? `[${plural(images, "image")}]` : "";
    panel.post({
      type: "toolOutput",
      callId,
      text: [text, more].filter(Boolean).join("\n"),
      problem: "",
    });
  } catch (error) {
    panel.post({ type: "toolOutput", callId, text: "", problem: messageOf(error) });
  }
}

/** A file before a turn beside what it holds now; the file alone if it was in a worktree that is gone. */
async function openChange(
  { runId, path }: Extract<ToHost, { type: "openChange" }>,
  bench: Workbench,
): Promise<void> {
  if ((bench.chat.session?.worktree?.state ?? "open") !== "open") {
    return await bench.spans.openPath(path, 1);
  }
  const request = { sessionId: currentSession(bench), turn: runId, path };
  const { file, before } = await bench.server.run("glossator.fileBefore", request);
  if (before === null) {
    throw new UserError(`What ${path} held before is no text, or was not kept; open it instead.`);
  }
  await openChanges(file, before);
}

async function list({ chat, panel, searches }: Workbench, words = ""): Promise<void> {
  const sessions = await searches.run((token) => chat.conversations.list(words, token));
  if (sessions) {
    panel.post({ type: "sessions", sessions, words });
  }
}

async function dropped(uris: readonly string[], { panel }: Workbench): Promise<void> {
  const chips = await fileChips(uris);
  if (chips.length === 0) {
    throw new UserError("What was dropped is no file or folder that can be read from here.");
  }
  panel.post({ type: "compose", text: "", chips });
}

function compose(chip: Chip, { panel }: Workbench): void {
  panel.post({ type: "compose", text: "", chips: [chip] });
}

/** While the server is not there nothing can be offered yet, and that is no failure. */
async function complete(number: number, text: string, bench: Workbench): Promise<void> {
  const { chat, server, panel } = bench;
  const ready = server.state.phase === "ready";
  const sessionId = chat.sessionId ?? null;
  const { items, incomplete } = ready
    ? await server.run("glossator.complete", { text, sessionId })
    : { items: [], incomplete: true };
  panel.post({ type: "completions", number, items, incomplete });
}

/** What would go with a question; it is no failure where that cannot be known. */
async function showPreview(
  { number, question, attachments }: Extract<ToHost, { type: "preview" }>,
  { chat, panel, server, log, previews }: Workbench,
): Promise<void> {
  const request = { sessionId: chat.sessionId ?? null, question, attachments };
  try {
    const answer = await previews.run((token) => server.run("glossator.preview", request, token));
    if (answer) {
      panel.post({ type: "preview", number, answer });
    }
  } catch (error) {
    log.info(`What goes with the question is not known: ${messageOf(error)}`);
    panel.post({ type: "preview", number, answer: null });
  }
}

/** `/compact` and the like are no questions. */
export async function askOrDo(message: Asking, bench: Workbench): Promise<void> {
  const slash = slashOf(message.question);
  if (slash?.name === "plan" && slash.words !== "") {
    await bench.run("glossator.setMode", "plan");
    await bench.chat.ask({ ...message, question: slash.words });
  } else if (slash) {
    bench.chat.replay(); // the panel shows it as asked, which it was not
    const call = callOf(slash, () => currentSession(bench));
    await bench.run(...call);
  } else {
    await askInWords(message, bench);
  }
}

/** A `/` word that nothing answers to is no question, unless the user says so. */
async function askInWords(message: Asking, bench: Workbench): Promise<void> {
  const word = unknownSlash(message.question);
  const names = word === undefined ? [] : await namesOf(bench);
  if (word === undefined || names.includes(word)) {
    await bench.chat.ask(message);
    return;
  }
  const near = nearest(word, names);
  const use = near === undefined ? [] : [`Use /${near}`];
  const detail = near === undefined ? "Type / to see those that there are." : "";
  const said = `There is no command /${word}.${near ? ` Did you mean /${near}?` : ""}`;
  const pressed = await confirm(said, detail, ...use, AS_IT_IS);
  if (pressed === AS_IT_IS) {
    await bench.chat.ask(message);
  } else if (pressed !== undefined) {
    await askOrDo(
      { ...message, question: message.question.trim().replace(word, near ?? "") },
      bench,
    );
  } else {
    bench.chat.replay(); // the panel shows it as asked, which it was not
    bench.panel.post({ type: "compose", text: message.question, chips: message.chips });
  }
}

/** The `/` commands that there are: ours, those of files, and the prompts of MCP servers. */
async function namesOf({ server }: Workbench): Promise<string[]> {
  const { items } = await server.run("glossator.complete", { text: "/" });
  return items.map(({ label }) => label.slice(1));
}
