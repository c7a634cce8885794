// The panel's state as signals, and what changes it.

import { computed, effect, signal } from "@preact/signals";
import { chipKey } from "../src/panel/attached.ts";
import { shownIn } from "../src/panel/folders.ts";
import type { Chip, ToPanel } from "../src/panel/messages.ts";
import type { PlanChoice } from "../src/wire.ts";
import { ended } from "../src/worktree.ts";
import { type Edited, type InInput, keep, recall, tell } from "./host.ts";
import { type Ask, askerOf, EMPTY, isLive, type PanelState, type Turn } from "./state/model.ts";
import { type Local, reduce } from "./state/reduce.ts";
import { forgetWritten } from "./written.ts";

const MOST_DRAFTS = 20; // of sessions that are not shown

const state = signal<PanelState>(EMPTY);

export const situation = computed(() => state.value.situation);
export const turns = computed(() => state.value.turns);
/** What is asked in the conversation that is shown, and what in others. */
export const asks = computed(() => state.value.asks.filter(isHere));
export const elsewhere = computed(() => state.value.asks.filter((ask) => !isHere(ask)));
export const filesUndone = computed(() => state.value.filesUndone);
export const unsaved = computed(() => state.value.unsaved);
export const queue = computed(() => state.value.queue);
export const sessions = computed(() => state.value.sessions);
export const jobs = computed(() => state.value.jobs);
export const sessionWords = computed(() => state.value.sessionWords);
export const completions = computed(() => state.value.completions);
export const preview = computed(() => state.value.preview);
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
const edited = signal<Edited | null>(recall().edited);
export const insteadOf = computed(() => edited.value?.runId ?? null);

/** Whether the next questions are answered by tasks. */
export const planning = signal<PlanChoice>("auto");

/** Whether a new session works in a worktree of its own. */
export const apart = signal(false);

/** A selection that the user does not want to have sent; null: none. */
export const unwanted = signal<string | null>(null);

/** What else has the session open that is shown, so that nothing can be asked in it here; or "". */
export const openIn = computed(() => situation.value.session?.elsewhere ?? "");

/** Whether the worktree of the session that is shown is gone, so that it goes on nowhere. */
export const over = computed(() => {
  const tree = situation.value.session?.worktree;
  return tree ? ended(tree) : false;
});

/** Whether turns are to stay as they are: a run is on, or the session is only read here. */
export const fixed = computed(() => live.value !== null || openIn.value !== "" || over.value);

/** Whether the list of sessions is shown. */
export const listing = signal(false);

/** Which folds the user opened or closed, by their keys. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map());

/** The run that is being stopped, or the last one that was. */
export const stopping = signal("");

/** The ask whose card is to be shown, once it is there. */
export const sought = signal<string | null>(null);

/** What waits for an answer and has scrolled out of sight: by the ids of its cards. */
export const away = signal<ReadonlyMap<string, string>>(new Map());

/** Counts up when the user has asked something, here or in an editor: it is to be in sight. */
export const sent = signal(0);

/** Counts up when the input is to take the focus. */
export const focusing = signal(0);

// What a question is split into, and where it works, is chosen for one session.
const sessionId = computed(() => situation.value.sessionId);
effect(() => {
  if (sessionId.value === null) {
    planning.value = "auto";
  } else {
    apart.value = false;
  }
});

effect(() => keep({ draft: draft.value, chips: chips.value, edited: edited.value }));

let isFirst = true; // the page was just made
let isComingBack = false; // the session that was shown before the window was reloaded
let opening: string | null = null; // the session that is to be shown, "" for a new one

/**
 * What is being written stays with its session: a replay of another one is a switch. An id that comes
 * without a replay is that of the new session that was shown: it has begun.
 */
function followSession(message: ToPanel | Local): void {
  if (message.type === "situation") {
    const now = message.situation.sessionId ?? "";
    if (now !== "" && !isFirst && !isComingBack && opening === null) {
      turnTo(now, true);
    }
  } else if (message.type === "replay") {
    opening = null;
    if (!message.restoring) {
      turnTo(message.sessionId ?? "", goesOn(message));
    }
    isComingBack = message.restoring === true;
    isFirst = false;
  }
}

/** Whether what is in the input is for the session of a replay. */
function goesOn({ sessionId, asked = [], wordsOf }: Extract<ToPanel, { type: "replay" }>): boolean {
  const { draftOf, drafts } = recall();
  if (wordsOf !== undefined && wordsOf === draftOf) {
    return true;
  }
  if (sessionId === null) {
    return isComingBack; // the session of before cannot
  }
  const mayHaveBegun = isComingBack || (isFirst && asked.length > 0); // while there was no page
  return draftOf === "" && mayHaveBegun && !(sessionId in drafts);
}

/** Show what was being written in a session; what is in the input stays in its own, or goes along. */
function turnTo(now: string, along = false): void {
  const { draftOf: before, drafts } = recall();
  if (now === before) {
    return;
  }
  const { [now]: next = { draft: "", chips: [], edited: null }, ...others } = drafts;
  if (along || before === null) {
    keep({ draftOf: now, drafts: others });
    draft.value = [draft.value, next.draft].filter(Boolean).join("\n");
    chips.value = withChips(chips.value, next.chips);
    return;
  }
  const { [before]: _, ...rest } = others;
  const last: InInput = { draft: draft.value, chips: chips.value, edited: edited.value };
  const isEmpty = last.draft === "" && last.chips.length === 0 && !last.edited;
  const kept = Object.entries(isEmpty ? rest : { ...rest, [before]: last });
  keep({ draftOf: now, drafts: Object.fromEntries(kept.slice(-MOST_DRAFTS)) });
  draft.value = next.draft;
  chips.value = next.chips;
  edited.value = next.edited ?? null;
}

/** What is in the input goes on in another panel, also what an edit has put aside. */
function handOver(): void {
  const { draft: words = "", chips: about = [] } = edited.value ?? {};
  const text = [draft.value, words].filter(Boolean).join("\n");
  tell({ type: "handedOver", text, chips: withChips(chips.value, about) });
  edited.value = null;
  clear();
}

/** A path as it is shown, by the workspace's folders. */
export function shownPath(path: string): string {
  return shownIn(situation.value.roots ?? [], path);
}

/** Whether turns may be gone after it. */
function isNew(message: ToPanel | Local): boolean {
  return message.type === "replay" ? !message.restoring : message.type === "begun";
}

/** Take a message in. */
export function receive(message: ToPanel | Local): void {
  const last = turns.value.at(-1);
  if (message.type === "begun" && !message.asked.queued && !isKnown(message.asked.runId)) {
    goToEnd();
  }
  state.value = reduce(state.value, message);
  followSession(message);
  if (message.type === "withdrawn" || message.type === "answered") {
    forgetWritten(message.id);
  }
  if ((message.type === "asked" || message.type === "begun") && last !== turns.value.at(-1)) {
    forgetWritten(last?.runId ?? ""); // the card of its plan is gone
  }
  if (isNew(message) && !isKnown(insteadOf.value ?? "")) {
    giveUpEdit();
  }
  if (message.type === "keep") {
    keep({ sessionId: message.sessionId });
  }
  if (message.type === "focusAsk") {
    listing.value = false;
    sought.value = message.id;
  }
  if (message.type === "handOver") {
    handOver();
  }
  if (message.type === "compose") {
    compose(message.text, message.chips);
  }
}

function isKnown(runId: string): boolean {
  return turns.value.some((turn) => turn.runId === runId);
}

function goToEnd(): void {
  keep({ scroll: null });
  sent.value += 1;
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

/** The chip of the editor's selection, unless the user took it away or it is attached already. */
export const selection = computed<Chip | null>(() => {
  const chip = situation.value.selection;
  const isAttached = chip && chips.value.some((each) => chipKey(each) === chipKey(chip));
  return chip && !isAttached && chip.label !== unwanted.value ? chip : null;
});

/** All that the question is about: what was attached, and the editor's selection. */
export const about = computed<readonly Chip[]>(() =>
  withChips(chips.value, selection.value && insteadOf.value === null ? [selection.value] : []),
);

/** Take a chip away; one that is also the editor's selection does not come back as that. */
export function detach(chip: Chip): void {
  const selected = situation.value.selection;
  if (selected && chipKey(selected) === chipKey(chip)) {
    unwanted.value = selected.label;
  }
  chips.value = chips.value.filter((each) => each !== chip);
}

/** Ask a question about these; `instead` leaves that run and what followed out. */
export function ask(question: string, about: readonly Chip[], instead: string | null): void {
  const runId = crypto.randomUUID();
  goToEnd();
  receive({ type: "asked", runId, question, chips: about, insteadOf: instead });
  tell({
    type: "ask",
    runId,
    question,
    attachments: about.map(({ attachment }) => attachment),
    chips: about,
    insteadOf: instead,
    plan: planning.value,
    worktree: apart.value,
  });
}

/** Show the card of something that waits for an answer. */
export function seek(id: string): void {
  listing.value = false;
  sought.value = id;
}

/**
 * Send what was written. While a run is on it waits for the end of the run, or, if it `steers`, goes
 * to the model meanwhile.
 */
export function send(steers = false): void {
  const question = draft.value.trim();
  if (question === "" || opening) {
    return; // it is for the session that is still to be shown
  }
  const [goes, instead] = [about.value, insteadOf.value];
  if (!live.value || opening === "") {
    clear();
    ask(question, goes, instead);
  } else if (instead === null) {
    clear();
    const message = { id: crypto.randomUUID(), question, chips: goes, plan: planning.value };
    tell({ type: "queue", message, steers });
  }
}

/** Empty the input; after an edit it has again what it had before. */
export function clear(): void {
  draft.value = edited.value?.draft ?? "";
  chips.value = edited.value?.chips ?? [];
  edited.value = null;
}

/** Write a question again; what was being written is put aside meanwhile. */
export function edit(turn: Turn): void {
  const { draft: words, chips: about } = edited.value ?? { draft: draft.value, chips: chips.value };
  edited.value = { runId: turn.runId, draft: words, chips: about };
  draft.value = turn.question;
  chips.value = turn.chips;
  focusing.value += 1;
}

/** The question is not there any more: what was put aside comes back, if there was something. */
function giveUpEdit(): void {
  const { draft: words = "", chips: about = [] } = edited.value ?? {};
  if (words !== "" || about.length > 0) {
    clear();
  }
  edited.value = null;
}

/** End the run that is under way. */
export function stop(): void {
  if (live.value) {
    stopping.value = live.value.runId;
    tell({ type: "stop", runId: live.value.runId });
  }
}

/** Begin another conversation; what is typed from now on is for that one. */
export function newSession(): void {
  listing.value = false;
  opening = "";
  turnTo(opening);
  tell({ type: "newSession" });
  focusing.value += 1;
}

/** Show a session; what is typed from now on is for that one. */
export function openSession(id: string): void {
  opening = id;
  turnTo(opening);
  tell({ type: "resumeSession", id });
}
