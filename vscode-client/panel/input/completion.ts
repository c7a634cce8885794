// The list of completions as signals: what was asked for, what came, and which one is chosen.

import { computed, effect, signal } from "@preact/signals";
import type { Completion } from "../../src/panel/messages.ts";
import { tell } from "../host.ts";
import { completions } from "../store.ts";
import type { Token } from "./token.ts";

const asked = signal<{ readonly number: number; readonly token: Token } | null>(null);
let number = 0;
let wait = 0; // before it is asked again, in ms
let timer: ReturnType<typeof setTimeout> | undefined;

const FIRST_WAIT = 100;
const LONGEST_WAIT = 2000;

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
    clearTimeout(timer);
    asked.value = null;
  } else if (asked.value?.token.text !== next.text || asked.value.token.begin !== next.begin) {
    clearTimeout(timer);
    number += 1;
    wait = FIRST_WAIT;
    asked.value = { number, token: next };
    chosen.value = 0;
    tell({ type: "complete", number, text: next.text });
  }
}

// While files are still being listed, the same is asked again: nothing tells when more is known.
effect(() => {
  const { incomplete, number: answered } = completions.value;
  const now = asked.peek();
  if (chosen.peek() >= items.peek().length) {
    chosen.value = 0;
  }
  if (incomplete && now?.number === answered) {
    clearTimeout(timer);
    timer = setTimeout(
      () => tell({ type: "complete", number: answered, text: now.token.text }),
      wait,
    );
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
});

/** Choose the next or the one before, around the ends. */
export function step(by: number): void {
  const { length } = items.value;
  chosen.value = length === 0 ? 0 : (chosen.value + by + length) % length;
}
