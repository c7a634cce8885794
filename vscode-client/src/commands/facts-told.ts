// What is said of facts that went, and of a session's summary. Nothing here knows of VS Code.

import type { ForgottenFacts, SummaryAnswer } from "../wire.ts";
import { count, escaped, plural } from "./markdown.ts";

/** What was removed, in a sentence. */
export function cleared({ facts, sessions, left }: ForgottenFacts): string {
  const memory =
    sessions.length > 0 ? ` and the memory of ${plural(sessions.length, "session")}` : "";
  const rest = left > 0 ? ` ${count(left)} ${left === 1 ? "is" : "are"} left.` : "";
  return `Forgot ${plural(facts.length, "fact")}${memory}.${rest}`;
}

/** The summary as Markdown. */
export function summaryReport(summary: SummaryAnswer): string {
  const parts = [
    ["Main topics", summary.mainTopics],
    ["Key conclusions", summary.keyConclusions],
    ["Unresolved questions", summary.unresolvedQuestions],
  ] as const;
  return [
    "# Summary of the session",
    ...(summary.byModel ? [] : ["Extracted without a model."]),
    ...parts.flatMap(([title, items]) => [`## ${title}`, listed(items)]),
  ].join("\n\n");
}

function listed(items: readonly string[]): string {
  return items.length > 0 ? items.map((item) => `- ${escaped(item)}`).join("\n") : "None.";
}
