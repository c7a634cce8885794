// Text of others: what cannot be seen in it stands out, escaped.

import { pieces } from "../../src/shown.ts";

interface Props {
  readonly text: string;
  /** Line ends and tabs are kept. */
  readonly lines?: boolean;
}

/** The text; escapes have the colour of a warning. */
export function Shown({ text, lines = false }: Props) {
  return (
    <>
      {pieces(text, lines).map(({ words, unseen }, at) =>
        unseen === undefined ? (
          words
        ) : (
          <span key={at} class="escaped" title="A character that is not seen">
            {words}
          </span>
        ),
      )}
    </>
  );
}
