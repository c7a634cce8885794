// The list of completions as signals: what was asked for, what came, and which one is chosen.

import { computed, signal } from "@preact/signals";
import type { Completion } from "../../src/panel/messages.ts";
import { tell } from "../host.ts";
import { completions } from "../store.ts";
import type { Token } from "./token.ts";

const asked = signal<{ readonly number: number; readonly token: Token } | null>(null);
let number = 0;

/** Which of the items Enter would take. */
export const chosen = signal(0);

/** The items for the token under way. */
export const items = computed<readonly Completion[]>(() =>
  asked.value && completions.value.number === asked.value.number ? completions.value.items : [],
);

/** The token that the items are for. */
export const token = computed(() => asked.value?.token ?? null);

/** Ask for completions of a token; null closes the list. */
export function complete(next: Token | null): void {
  if (next === null) {
    asked.value = null;
  } else if (asked.value?.token.text !== next.text || asked.value.token.begin !== next.begin) {
    number += 1;
    asked.value = { number, token: next };
    chosen.value = 0;
    tell({ type: "complete", number, text: next.text });
  }
}

/** Choose the next or the one before, around the ends. */
export function step(by: number): void {
  const { length } = items.value;
  chosen.value = length === 0 ? 0 : (chosen.value + by + length) % length;
}
