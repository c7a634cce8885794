// A Markdown text cut at its top-level blocks, so that a growing one is parsed and drawn only where
// it still changes.

import type { Env } from "markdown-it";
import { markdown } from "./markdown.ts";

/** A top-level block: its source, which decides how it looks, and its HTML. */
export interface Block {
  readonly source: string;
  readonly html: string;
}

/** A text in blocks; to be given back when it has grown. */
export interface Blocks {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly environment: Env;
}

export const NO_BLOCKS: Blocks = { text: "", blocks: [], environment: {} };

// Of the blocks that are there, the last may grow, and the one before it may take the last one in:
// after "1. a" and an empty line, "2" is a paragraph, but "2. b" goes on with the list.
const OPEN = 2;

/** The blocks of a text; those of `before` that its growth cannot have changed are kept. */
export function toBlocks(given: string, before: Blocks): Blocks {
  const text = normalised(given);
  if (text === before.text) {
    return before;
  }
  const grown = before.text !== "" && text.startsWith(before.text);
  const kept = grown ? before.blocks.slice(0, -OPEN) : [];
  const from = kept.reduce((length, { source }) => length + source.length, 0);
  const environment = grown ? before.environment : {};
  return { text, blocks: [...kept, ...parsed(text.slice(from), environment)], environment };
}

/** A text as the parser has it. */
export function normalised(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
}

function parsed(text: string, environment: Env): Block[] {
  const tokens = markdown.parse(text, environment);
  const starts = tokens.flatMap(({ level, nesting, map }, at) =>
    level === 0 && nesting >= 0 && map ? [{ at, line: map[0] }] : [],
  );
  const offsets = lineOffsets(text);
  return starts.map(({ at, line }, number) => {
    const next = starts[number + 1];
    const begin = number === 0 ? 0 : (offsets[line] ?? text.length);
    const end = next ? (offsets[next.line] ?? text.length) : text.length;
    const own = tokens.slice(at, next?.at);
    const html = markdown.renderer.render(own, markdown.options, environment);
    return { source: text.slice(begin, end), html };
  });
}

function lineOffsets(text: string): number[] {
  const offsets = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    offsets.push(at + 1);
  }
  return offsets;
}
