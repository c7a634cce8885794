// What is typed on cards and in the queue. It is kept as the draft is: until it is sent, or what it
// was for is gone, however often that is hidden meanwhile.

import { effect, signal } from "@preact/signals";
import { type AllWritten, keep, recall, type Written } from "./host.ts";

const MOST = 20; // cards and messages; what is older than these will not come back

const written = signal<AllWritten>(recall().written);

effect(() => keep({ written: written.value }));

/** As `useState`, for a field of a card or of a message. */
export function useWritten<T extends Written>(
  id: string,
  field: string,
  initial: T,
): readonly [value: T, change: (value: T) => void] {
  const fields = written.value[id] ?? {};
  const value = field in fields ? (fields[field] as T) : initial;
  return [value, (changed) => put(id, { ...written.value[id], [field]: changed })];
}

/** It was sent, or is not wanted any more. */
export function forgetWritten(id: string): void {
  if (id in written.value) {
    const { [id]: _, ...others } = written.value;
    written.value = others;
  }
}

function put(id: string, fields: Readonly<Record<string, Written>>): void {
  const others = Object.entries(written.value).filter(([each]) => each !== id);
  written.value = Object.fromEntries([...others.slice(1 - MOST), [id, fields]]);
}
