// The panel's state as signals, and what changes it.

import { computed, effect, signal } from "@preact/signals";
import { chipKey } from "../src/panel/attached.ts";
import { shownIn } from "../src/panel/folders.ts";
import type { Chip, ToPanel } from "../src/panel/messages.ts";
import { keep, recall, tell } from "./host.ts";
import { type Ask, askerOf, EMPTY, isLive, type PanelState, type Turn } from "./state/model.ts";
import { type Local, reduce } from "./state/reduce.ts";

const state = signal<PanelState>(EMPTY);

export const situation = computed(() => state.value.situation);
export const turns = computed(() => state.value.turns);
/** What is asked in the conversation that is shown, and what in others. */
export const asks = computed(() => state.value.asks.filter(isHere));
export const elsewhere = computed(() => state.value.asks.filter((ask) => !isHere(ask)));
export const sessions = computed(() => state.value.sessions);
export const completions = computed(() => state.value.completions);
export const known = computed(() => state.value.known);

function isHere(ask: Ask): boolean {
  const { sessionId } = askerOf(ask);
  return sessionId === "" || sessionId === situation.value.sessionId;
}

/** The turn that is under way, if one is. */
export const live = computed<Turn | null>(() => {
  const last = turns.value.at(-1);
  return last && isLive(last) ? last : null;
});

/** The question being written, what it is about, and the run that it is to replace. */
export const draft = signal(recall().draft);
export const chips = signal<readonly Chip[]>(recall().chips);
export const insteadOf = signal<string | null>(null);

/** A selection that the user does not want to have sent; null: none. */
export const unwanted = signal<string | null>(null);

/** Whether the list of sessions is shown. */
export const listing = signal(false);

/** Which folds the user opened or closed, by their keys. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map());

/** The run that is being stopped, or the last one that was. */
export const stopping = signal("");

/** The ask whose card is to be shown, once it is there. */
export const sought = signal<string | null>(null);

/** Counts up when the input is to take the focus. */
export const focusing = signal(0);

effect(() => keep({ draft: draft.value, chips: chips.value }));

/** A path as it is shown, by the workspace's folders. */
export function shownPath(path: string): string {
  return shownIn(situation.value.roots ?? [], path);
}

/** Whether turns may be gone after it. */
function isNew({ type }: ToPanel | Local): boolean {
  return type === "replay" || type === "begun";
}

/** Take a message in. */
export function receive(message: ToPanel | Local): void {
  state.value = reduce(state.value, message);
  if (isNew(message) && !turns.value.some(({ runId }) => runId === insteadOf.value)) {
    insteadOf.value = null;
  }
  if (message.type === "focusAsk") {
    listing.value = false;
    sought.value = message.id;
  }
  if (message.type === "compose") {
    compose(message.text, message.chips);
  }
}

function withChips(there: readonly Chip[], more: readonly Chip[]): readonly Chip[] {
  const known = new Set(there.map(chipKey));
  return [...there, ...more.filter((chip) => !known.has(chipKey(chip)))];
}

/** Put words and chips into the input. */
export function compose(text: string, more: readonly Chip[]): void {
  const space = draft.value !== "" && text !== "" && !/\s$/.test(draft.value) ? " " : "";
  draft.value += space + text;
  chips.value = more.reduce((all, chip) => withChips(all, [chip]), chips.value);
  focusing.value += 1;
}

/** The chip of the editor's selection, unless the user took it away. */
export const selection = computed<Chip | null>(() => {
  const chip = situation.value.selection;
  return chip && chip.label !== unwanted.value ? chip : null;
});

/** Ask a question about these; `instead` leaves that run and what followed out. */
export function ask(question: string, about: readonly Chip[], instead: string | null): void {
  const runId = crypto.randomUUID();
  receive({ type: "asked", runId, question, chips: about, insteadOf: instead });
  tell({
    type: "ask",
    runId,
    question,
    attachments: about.map(({ attachment }) => attachment),
    chips: about,
    insteadOf: instead,
  });
}

/** Send what was written; false if there is nothing to send or a run is under way. */
export function send(): boolean {
  const question = draft.value.trim();
  if (question === "" || live.value) {
    return false;
  }
  const selected = selection.value && insteadOf.value === null ? [selection.value] : [];
  const about = withChips(chips.value, selected);
  const instead = insteadOf.value;
  clear();
  ask(question, about, instead);
  return true;
}

/** Empty the input. */
export function clear(): void {
  draft.value = "";
  chips.value = [];
  insteadOf.value = null;
}

/** Write a question anew. */
export function edit(turn: Turn): void {
  draft.value = turn.question;
  chips.value = turn.chips;
  insteadOf.value = turn.runId;
  focusing.value += 1;
}

/** End the run that is under way. */
export function stop(): void {
  if (live.value) {
    stopping.value = live.value.runId;
    tell({ type: "stop", runId: live.value.runId });
  }
}

/** Begin another conversation. */
export function newSession(): void {
  listing.value = false;
  tell({ type: "newSession" });
  focusing.value += 1;
}
