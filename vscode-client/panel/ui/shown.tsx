// Text of others: what would hide in it, or pass for something else, stands out as its escape.

import { type Kind, pieces } from "../../src/shown.ts";

/** The text; escapes have the colour of a warning. */
export function Shown({ text, kind = "line" }: { text: string; kind?: Kind }) {
  return (
    <>
      {pieces(text, kind).map(({ words, hidden }, at) =>
        hidden === undefined || hidden === "\\" ? (
          words
        ) : (
          <span key={at} class="escaped" title="Not as it would look: this is its code">
            {words}
          </span>
        ),
      )}
    </>
  );
}
