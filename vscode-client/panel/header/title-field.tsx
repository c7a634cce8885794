// A title being written.

import { useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  /** With the new title, or null if it stays. */
  readonly done: (title: string | null) => void;
}

/** A field with the title; Enter takes it, Escape and leaving do not change it. */
export function TitleField({ title, done }: Props) {
  const over = useRef(false);
  const end = (words: string | null) => {
    if (!over.current) {
      over.current = true;
      done(words && words !== title ? words : null);
    }
  };
  return (
    <input
      class="field title-field"
      aria-label="Title"
      value={title}
      ref={(field) => field?.select()}
      onBlur={() => end(null)}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          end(event.currentTarget.value.trim() || null);
        } else if (event.key === "Escape") {
          event.stopPropagation();
          end(null);
        }
      }}
    />
  );
}
