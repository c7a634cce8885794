// Parts of reports, as Markdown.

import { shown } from "../shown.ts";

/** A table of literal text. */
export function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(heads.map(escaped)),
    line(heads.map(() => "---")),
    ...rows.map((row) => line(row.map(escaped))),
  ].join("\n");
}

/** A heading and what follows, if there is anything. */
export function section(title: string, text: string): string[] {
  return text ? [`## ${title}`, text] : [];
}

/** Paths and messages are no Markdown. */
export function escaped(text: string): string {
  return shown(text.replace(/\s+/g, " ")).replace(/[\\`*_[\]<>|#]/g, "\\$&");
}

/** A number as people read it. */
export function count(number: number): string {
  return number.toLocaleString("en");
}

/** `1 file`, `2 files`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
