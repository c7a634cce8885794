// What the panel says, done.

import { commands, env, Uri } from "vscode";
import type { Parts } from "../commands/parts.ts";
import { currentSession } from "../commands/sessions.ts";
import { callOf, slashOf } from "../commands/slash.ts";
import { fileChips } from "../editor/chips.ts";
import { openDiff } from "../editor/diff.ts";
import { insertAtCursor } from "../editor/insert.ts";
import { isPicture, pastedChip } from "../editor/pasted.ts";
import { showText } from "../editor/texts.ts";
import type { Inquiries } from "../ports/inquiries.ts";
import { UserError } from "../result.ts";
import type { Chip, ToHost } from "./messages.ts";

/** Commands that the panel may have run: ours alone, whatever an answer's text says. */
const OURS = /^glossator\.[A-Za-z]+$/;

/** Do what a message of the panel asks for. */
export async function dispatch(message: ToHost, parts: Parts, inquiries: Inquiries): Promise<void> {
  const { chat } = parts;
  switch (message.type) {
    case "ready":
      return; // the view has heard it
    case "ask":
      return await askOrDo(message, parts);
    case "stop":
      return await chat.stop(message.runId);
    case "stopAgent":
      return await chat.stopAgent(message.agentId);
    case "showAgent":
      return await showAgent(message.agentId, parts);
    case "permissionAnswer":
    case "questionAnswer":
    case "reviewAnswer":
      return inquiries.answer(message.id, message.answer);
    case "openAsked":
      return await inquiries.open(message.id);
    case "open":
      return await open(message, parts);
    case "openPath":
      return await parts.spans.openPath(message.path, message.line, message.lastLine);
    case "openDiff":
      return await openDiff(message.plan);
    case "insert":
      return await insertAtCursor(message.text);
    case "copy":
      return await env.clipboard.writeText(message.text);
    case "complete":
      return await complete(message.number, message.text, parts);
    case "pasted":
      return compose(await pastedChip(parts.pasted, message.mime, message.base64), parts);
    case "dropped":
      return await dropped(message.uris, parts);
    case "listSessions":
      return await list(parts);
    case "newSession":
      return chat.show();
    case "resumeSession":
      return await chat.resume(message.id);
    case "renameSession":
      await chat.rename(message.id, message.title);
      return await list(parts);
    case "deleteSession":
      await run("glossator.deleteSession", message.id);
      return await list(parts);
    case "undoTurn":
      return await run("glossator.undoTurn", message.runId);
    case "redoTurn":
      return await run("glossator.redoTurn", message.runId);
    case "setMode":
      return await run("glossator.setMode", message.mode);
    case "startPlan":
      await run("glossator.setMode", message.mode);
      return await chat.startPlan(message.mode);
    case "setModel":
      return await run("glossator.setModel", message.model);
    case "manageTrust":
      await commands.executeCommand("workbench.trust.manage");
      return;
    case "command":
      return await run(message.command);
  }
}

/** Lines in an editor, a folder where files are listed, anything else as VS Code shows it. */
async function open(message: Extract<ToHost, { type: "open" }>, { spans }: Parts): Promise<void> {
  const { firstLine, lastLine } = message;
  const uri = Uri.parse(message.uri);
  if (message.uri.endsWith("/")) {
    await commands.executeCommand("revealInExplorer", uri);
  } else if (isPicture(uri)) {
    await commands.executeCommand("vscode.open", uri);
  } else {
    await spans.open(uri, firstLine, lastLine);
  }
}

/** What it did, as a text to read. */
async function showAgent(agentId: string, parts: Parts): Promise<void> {
  const sessionId = currentSession(parts);
  const { agent, text } = await parts.server.run("glossator.showAgent", { sessionId, agentId });
  await showText(`What ${agent.name} did.md`, text, "markdown"); // no preview: pictures would be loaded
}

async function list({ chat, panel }: Parts): Promise<void> {
  panel.post({ type: "sessions", sessions: await chat.list() });
}

async function dropped(uris: readonly string[], { panel }: Parts): Promise<void> {
  const chips = await fileChips(uris);
  if (chips.length === 0) {
    throw new UserError("What was dropped is no file or folder that can be read from here.");
  }
  panel.post({ type: "compose", text: "", chips });
}

function compose(chip: Chip, { panel }: Parts): void {
  panel.post({ type: "compose", text: "", chips: [chip] });
}

/** While the server is not there nothing can be offered yet, and that is no failure. */
async function complete(number: number, text: string, { server, panel }: Parts): Promise<void> {
  const ready = server.state.phase === "ready";
  const { items, incomplete } = ready
    ? await server.run("glossator.complete", { text })
    : { items: [], incomplete: true };
  panel.post({ type: "completions", number, items, incomplete });
}

/** `/compact` and the like are no questions. */
async function askOrDo(message: Extract<ToHost, { type: "ask" }>, parts: Parts): Promise<void> {
  const slash = slashOf(message.question);
  if (slash?.name === "plan" && slash.words !== "") {
    await run("glossator.setMode", "plan");
    await parts.chat.ask({ ...message, question: slash.words });
  } else if (slash) {
    parts.chat.replay(); // the panel shows it as asked, which it was not
    const call = callOf(slash, () => currentSession(parts));
    await run(...call);
  } else {
    await parts.chat.ask(message);
  }
}

async function run(command: string, ...given: readonly unknown[]): Promise<void> {
  if (OURS.test(command)) {
    await commands.executeCommand(command, ...given);
  }
}
