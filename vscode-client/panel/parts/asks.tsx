// What the user is asked, at the end of the conversation.

import type { Ask } from "../state/model.ts";
import { asks, turns } from "../store.ts";
import { PermissionCard } from "./permission-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ReviewCard } from "./review-card.tsx";

/** The cards; a review stands in its edit's place, if the edit is shown. */
export function Asks() {
  const parts = turns.value.at(-1)?.parts ?? [];
  const proposed = parts.flatMap((part) => (part.kind === "edit" ? [part.plan.id] : []));
  return (
    <div class="asks">
      {asks.value.map((ask) => (
        <AskCard key={ask.id} ask={ask} proposed={proposed} />
      ))}
    </div>
  );
}

function AskCard({ ask, proposed }: { ask: Ask; proposed: readonly string[] }) {
  switch (ask.kind) {
    case "permission":
      return <PermissionCard id={ask.id} request={ask.request} leftOut={ask.leftOut} />;
    case "question":
      return <QuestionCard id={ask.id} question={ask.question} />;
    case "review":
      return proposed.includes(ask.plan.id) ? null : (
        <ReviewCard id={ask.id} plan={ask.plan} leftOut={ask.leftOut} />
      );
  }
}
