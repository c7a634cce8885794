// What went with a question, as chips; nothing here knows of VS Code.

import type { AttachedItem } from "../wire.ts";
import type { Chip } from "./messages.ts";

/** Those that have a place; an image that is no file goes with its question all the same. */
export function attachedChips(items: readonly AttachedItem[]): Chip[] {
  return items.flatMap(({ name, uri, firstLine, lastLine }) => {
    if (uri === null) {
      return [];
    }
    const lines = firstLine === null ? {} : { firstLine, lastLine };
    return [{ label: `${name}${linesOf(firstLine, lastLine)}`, attachment: { uri, ...lines } }];
  });
}

/** The same lines, files and pictures. */
export function sameChips(some: readonly Chip[], others: readonly Chip[]): boolean {
  return keysOf(some) === keysOf(others);
}

/** The same for what is the same lines, file or picture: labels may be alike. */
export function chipKey({ attachment }: Chip): string {
  const { uri, firstLine, lastLine } = attachment;
  return `${uri}#${firstLine ?? ""}-${lastLine ?? ""}`;
}

/** As they stand behind a name. */
export function linesOf(first: number | null, last: number | null): string {
  return first === null ? "" : `:${last === null || last === first ? first : `${first}-${last}`}`;
}

function keysOf(chips: readonly Chip[]): string {
  return JSON.stringify(chips.map(chipKey));
}
