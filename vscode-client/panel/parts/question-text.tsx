// What was asked. Of a long question, such as an action's, only the beginning until one wants it all.

import { beginningOf } from "../state/beginning.ts";
import { folds } from "../store.ts";
import { Words } from "../ui/words.tsx";

/** The question in its bubble; `id` is the run's. */
export function QuestionText({ text, id }: { text: string; id: string }) {
  const key = `${id} question`;
  const beginning = beginningOf(text);
  const isOpen = folds.value.get(key) ?? false;
  return (
    <div class="question-text">
      <Words text={isOpen ? text : beginning} />
      {beginning !== text && (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          onClick={() => {
            folds.value = new Map(folds.value).set(key, !isOpen);
          }}
        >
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </div>
  );
}
