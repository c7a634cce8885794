// Words of a person's or a model's that are no Markdown of ours: only `code` in them is shown as such.

import { Shown } from "./shown.tsx";

const CODE = /(?<!`)`([^`\n]+)`(?!`)/;

/** The words, line breaks as they are. */
export function Words({ text }: { text: string }) {
  return (
    <>
      {text.split(CODE).map((part, at) =>
        at % 2 === 1 ? (
          <code class="quoted">
            <Shown text={part} />
          </code>
        ) : (
          <Shown text={part} kind="text" />
        ),
      )}
    </>
  );
}
