// What the Context view says of each source of what the model is told; nothing here knows of VS Code.

import { shown } from "../shown.ts";
import type { ContextSource } from "../wire.ts";

type Kind = ContextSource["kind"];
type State = ContextSource["state"];

/** The sources of one kind. */
export interface Group {
  readonly kind: Kind;
  readonly title: string;
  readonly icon: string;
  readonly sources: readonly ContextSource[];
}

/** An icon of VS Code's, with the colour of a theme. */
export interface Sign {
  readonly icon: string;
  readonly colour?: string;
}

const KINDS: Readonly<Record<Kind, readonly [title: string, icon: string]>> = {
  instructions: ["Instructions", "book"],
  memory: ["Memories", "notebook"],
  fact: ["Facts", "verified"],
  skill: ["Skills", "mortar-board"],
  command: ["Slash commands", "terminal"],
  agent: ["Sub-agents", "hubot"],
  hook: ["Hooks", "zap"],
  mcp: ["MCP servers", "mcp"],
  rule: ["Permission rules", "shield"],
  index: ["Search", "search"],
};
const SPEAKING: ReadonlySet<Kind> = new Set(["hook", "fact", "rule", "index"]); // by their detail
const DIM = "disabledForeground";
const WARNING = "list.warningForeground";
const STATES: Readonly<Record<State, readonly [words: string, icon: string, colour?: string]>> = {
  on: ["", ""],
  off: ["off", "circle-slash", DIM],
  stale: ["stale", "warning", WARNING],
  proposed: ["not approved", "warning", WARNING],
  changed: ["changed, not approved", "warning", WARNING],
  untrusted: ["left out", "lock", DIM],
  waiting: ["starting", "sync"],
  "needs login": ["needs login", "account", WARNING],
  problem: ["does not work", "error", "list.errorForeground"],
};
const SOURCES: Readonly<Record<ContextSource["source"], string>> = {
  user: "yours",
  project: "this workspace",
};

/** By kind, in an order that stays; a kind without any has no group. */
export function groupsOf(sources: readonly ContextSource[]): readonly Group[] {
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
    const [title, icon] = KINDS[kind];
    const own = sources.filter((each) => each.kind === kind);
    return own.length > 0 ? [{ kind, title, icon, sources: own }] : [];
  });
}

/** Whether it waits for the user to say yes. */
export function isProposed({ state }: ContextSource): boolean {
  return state === "proposed" || state === "changed";
}

/** Whether it is told or run now; undefined for what is not switched on and off, or not adopted. */
export function isOn(source: ContextSource): boolean | undefined {
  const { actions } = source;
  if (isProposed(source)) return undefined;
  return actions.includes("turnOff") ? true : actions.includes("turnOn") ? false : undefined;
}

/** Its state, at a glance. */
export function signOf(source: ContextSource): Sign {
  const [, icon, colour] = STATES[source.state];
  return { icon: icon || KINDS[source.kind][1], ...(colour ? { colour } : {}) };
}

/** Its name; back-ticks around a fact's names are no words in a list. */
export function nameOf({ kind, name }: ContextSource): string {
  return shown(kind === "fact" ? name.replaceAll("`", "") : name);
}

/** The words beside its name: its state, whose it is, and of a hook what runs, of a fact its lines. */
export function wordsOf(given: ContextSource): string {
  const { kind, state, source, detail } = given;
  const speaks = SPEAKING.has(kind);
  const whose = speaks && kind !== "hook" ? "" : SOURCES[source];
  const more = speaks ? shown(detail) : "";
  return [STATES[state][0], whose, more].filter(Boolean).join(" · ");
}

/** The lines (1-based, inclusive) that a link names, as in `#L3-L9`. */
export function linesOf(fragment: string): readonly [first: number, last: number] | undefined {
  const [, first, last] = /^L(\d+)(?:-L(\d+))?$/.exec(fragment) ?? [];
  return first === undefined ? undefined : [Number(first), Number(last ?? first)];
}

/** All of it in a sentence, for those who hear it. */
export function heard(source: ContextSource): string {
  return `${nameOf(source)}, ${wordsOf(source).replaceAll(" · ", ", ")}`;
}
