// A question of the model's that was answered: what was asked, and what the user chose.

import { shown } from "../../src/shown.ts";
import type { ToolPart } from "../state/model.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";
import { Words } from "../ui/words.tsx";

/** Whether a call is a question that the user was shown and that is over. */
export function isAnswered({ finished }: ToolPart): boolean {
  return typeof finished?.answer === "string";
}

/** The card; it stays where the question stood. */
export function Answered({ part }: { part: ToolPart }) {
  const question = part.arguments["question"];
  const text = typeof question === "string" ? question : "";
  const answer = part.finished?.answer;
  return (
    <article class="card answered" aria-label={`Answered question: ${shown(text)}`}>
      <div class="card-head">
        <Icon name="question" tone="faint" />
        <span class="question-more">
          <Words text={text} />
        </span>
      </div>
      <p class="given">
        <Icon name={answer ? "check" : "circle-slash"} tone={answer ? "good" : "faint"} />
        <span>{answer ? <Shown text={answer} /> : "You gave no answer."}</span>
      </p>
    </article>
  );
}
