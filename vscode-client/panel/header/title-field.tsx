// A title being written.

import { useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  /** With the new title, or null if it stays; `byKey`: the focus is still here. */
  readonly done: (title: string | null, byKey: boolean) => void;
}

/** A field with the title; Enter takes it, Escape and leaving do not change it. */
export function TitleField({ title, done }: Props) {
  const over = useRef(false);
  const end = (words: string | null, byKey: boolean) => {
    if (!over.current) {
      over.current = true;
      done(words && words !== title ? words : null, byKey);
    }
  };
  return (
    <input
      class="field title-field"
      aria-label="Title"
      value={title}
      ref={(field) => field?.select()}
      onBlur={() => end(null, false)}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault(); // it is not for what has the focus next
          end(event.currentTarget.value.trim() || null, true);
        } else if (event.key === "Escape") {
          event.stopPropagation();
          end(null, true);
        }
      }}
    />
  );
}
