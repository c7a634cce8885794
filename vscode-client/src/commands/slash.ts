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
  takeover: () => ["glossator.takeOver"],
  rename: (words, session) => ["glossator.renameSession", session(), words],
  export: (_, session) => ["glossator.exportSession", session()],
  merge: (_, session) => ["glossator.mergeWorktree", session()],
  discard: (_, session) => ["glossator.discardWorktree", session()],
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
  edit: action("glossator.edit"),
  refactor: action("glossator.refactor"),
  document: action("glossator.document"),
  "write-tests": action("glossator.writeTests"),
  "explore-usage": action("glossator.exploreUsage"),
  explore: (words) => ["glossator.explore", words],
  search: (words) => ["glossator.search", words],
  memory: () => ["glossator.openMemory"],
  facts: () => ["glossator.listFacts"],
  summary: () => ["glossator.summarise"],
  index: () => ["glossator.rebuildIndex", "update"],
  jobs: () => ["glossator.listJobs"],
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

/** The word of what looks like a `/` command and is none of ours, without the `/`. */
export function unknownSlash(typed: string): string | undefined {
  const [, name] = /^\/([\w][\w:.-]*)(?:\s|$)/.exec(typed.trim()) ?? [];
  return name !== undefined && slashOf(typed) === undefined ? name : undefined;
}

/** Whether it begins with a `/` word: one of ours, of the server's, or of nobody's. */
export function looksLikeCommand(typed: string): boolean {
  return slashOf(typed) !== undefined || unknownSlash(typed) !== undefined;
}

/** The name that is most like a word; none where a reader would not take one for the other. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = names
    .map((name) => ({ name, apart: name.startsWith(word) ? 1 : apart(word, name) }))
    .filter((each) => each.apart <= most)
    .sort((one, other) => one.apart - other.apart);
  return best?.name;
}

/** How many letters must be put in, left out, changed or swapped to make one word the other. */
function apart(one: string, other: string): number {
  let [above, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const [a, b] = [one[i - 1], other[j - 1]];
      const replaced = (last[j - 1] ?? 0) + (a === b ? 0 : 1);
      const swaps = i > 1 && j > 1 && a === other[j - 2] && b === one[i - 2];
      const swapped = swaps ? (above[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [above, last] = [last, row];
  }
  return last[other.length] ?? 0;
}

/** What it does. Throws what `session` throws where there is none. */
export function callOf({ name, words }: Slash, session: () => string): Call {
  return CALLS[name](words, session);
}
