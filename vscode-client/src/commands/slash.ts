// What a question that begins with `/` does: a command of the palette, with the words that follow.

import { commands } from "vscode";
import { CHAT_COMMANDS } from "../wire.ts";
import type { Parts } from "./parts.ts";
import { currentSession } from "./sessions.ts";

type Name = keyof typeof CHAT_COMMANDS;

/** One of them, and what stands behind it. */
export interface Slash {
  readonly name: Name;
  readonly words: string;
}

/** What was typed, if it is one of them and no question. */
export function slashOf(typed: string): Slash | undefined {
  const [, name = "", words = ""] = /^\/([\w-]+)(?:\s+(.*))?$/s.exec(typed.trim()) ?? [];
  return Object.hasOwn(CHAT_COMMANDS, name)
    ? { name: name as Name, words: words.trim() }
    : undefined;
}

/** Do it. */
export async function runSlash({ name, words }: Slash, parts: Parts): Promise<void> {
  if (name === "rename" && words) {
    await parts.chat.rename(currentSession(parts), words);
    return;
  }
  if (name === "retry") {
    await parts.chat.again();
    return;
  }
  const given = { rename: currentSession, export: currentSession, plan: () => "plan" } as const;
  const argument = name in given ? given[name as keyof typeof given](parts) : words;
  await commands.executeCommand(CHAT_COMMANDS[name], ...(argument ? [argument] : []));
}
