// What becomes of a run whose asker does not see the panel.

import { commands, type Disposable, type LogOutputChannel } from "vscode";
import { showFailure } from "../commands/failures.ts";
import { inform } from "../notices.ts";
import { VIEW } from "../panel/view.ts";
import type { Chat, Ending } from "./chat.ts";
import type { Panel } from "./outbox.ts";

const SHOW = "Show Answer";
const QUESTION_CHARACTERS = 60;

/** Tell of answers and failures while the panel is out of sight. */
export function announceEndings(chat: Chat, panel: Panel, log: LogOutputChannel): Disposable {
  return chat.onEnding((ending) => {
    if (!panel.visible) {
      void announce(ending, log);
    }
  });
}

async function announce({ question, problem }: Ending, log: LogOutputChannel): Promise<void> {
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
    await commands.executeCommand(`${VIEW}.focus`);
  }
}
