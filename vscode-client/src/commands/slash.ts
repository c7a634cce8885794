// What a question that begins with `/` does: a command of the palette, with the words that follow.
// Nothing here knows of VS Code.

import { CHAT_COMMANDS } from "../wire.ts";

type Name = keyof typeof CHAT_COMMANDS;

/** A `/` command and what runs it. */
export interface Slash {
  readonly name: Name;
  readonly words: string;
}

/** A command of the palette, and what it is given. */
export type Call = readonly [command: `glossator.${string}`, ...given: readonly unknown[]];

/** Given to `glossator.undoTurn`: the last turn that is not undone, and to `glossator.redoTurn`: the last undo. */
export const LAST = "last";

/** Takes the typed words and, for a command about a session, the shown session. */
type Meaning = (words: string, session: () => string) => Call;

const action =
  (command: Call[0]): Meaning =>
  (instruction) => [command, { instruction }];

const CALLS: Readonly<Record<Name, Meaning>> = {
  new: () => ["glossator.newSession"],
  resume: () => ["glossator.resumeSession"],
  rename: (words, session) => ["glossator.renameSession", session(), words],
  export: (_, session) => ["glossator.exportSession", session()],
  compact: () => ["glossator.compact"],
  context: () => ["glossator.showContext"],
  retry: () => ["glossator.retry"],
  undo: () => ["glossator.undoTurn", LAST],
  redo: () => ["glossator.redoTurn", LAST],
  plan: () => ["glossator.setMode", "plan"],
  mode: (words) => ["glossator.setMode", words],
  model: (words) => ["glossator.setModel", words],
  explain: action("glossator.explain"),
  fix: action("glossator.fix"),
  refactor: action("glossator.refactor"),
  document: action("glossator.document"),
  "write-tests": action("glossator.writeTests"),
  "explore-usage": action("glossator.exploreUsage"),
  explore: (words) => ["glossator.explore", words],
  search: (words) => ["glossator.search", words],
  memory: () => ["glossator.openMemory"],
  index: () => ["glossator.rebuildIndex", "update"],
  status: () => ["glossator.status"],
  doctor: () => ["glossator.doctor"],
};

/** What was typed, if it is one of them and no question. */
export function slashOf(typed: string): Slash | undefined {
  const [, name = "", words = ""] = /^\/([\w-]+)(?:\s+(.*))?$/s.exec(typed.trim()) ?? [];
  return Object.hasOwn(CHAT_COMMANDS, name)
    ? { name: name as Name, words: words.trim() }
    : undefined;
}

/** What it does. Throws what `session` throws where there is none. */
export function callOf({ name, words }: Slash, session: () => string): Call {
  return CALLS[name](words, session);
}
