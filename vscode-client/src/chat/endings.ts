// What becomes of a run whose asker does not see the panel.

import type { Disposable, LogOutputChannel } from "vscode";
import { showFailure } from "../commands/failures.ts";
import { inform } from "../notices.ts";
import type { Surfaces } from "../surfaces.ts";
import type { Conversations, Ending } from "./conversations.ts";

const SHOW = "Show Answer";
const QUESTION_CHARACTERS = 60;

/** Tell of answers and failures that are shown neither in a chat in sight nor in their place. */
export function announceEndings(
  conversations: Conversations,
  surfaces: Surfaces,
  log: LogOutputChannel,
  isInPlace: (runId: string) => boolean,
): Disposable {
  return conversations.onEnding((ending) => {
    const isShown = surfaces.all.some(
      ({ chat, panel }) => panel.visible && chat.shown.isSameAs(ending.conversation),
    );
    const isSeen = ending.answer !== undefined && isInPlace(ending.answer.runId);
    if (!isShown && !isSeen) {
      announce(ending, surfaces, log).catch((error) => showFailure(error, log));
    }
  });
}

async function announce(
  { conversation, question, problem }: Ending,
  surfaces: Surfaces,
  log: LogOutputChannel,
): Promise<void> {
  if (problem !== undefined) {
    await showFailure(new Error(problem), log);
    return;
  }
  const about =
    question.length > QUESTION_CHARACTERS
      ? `${question.slice(0, QUESTION_CHARACTERS - 1)}…`
      : question;
  const message = `Glossator has answered: ${about}`;
  if ((await inform(message, SHOW)) === SHOW) {
    await surfaces.reveal(conversation.id);
    await surfaces.goTo(conversation.id ?? "");
  }
}
