// `glossator/question`: something that only the user can answer.

import type { Plans } from "../editor/plans.ts";
import { showText } from "../editor/texts.ts";
import { labelled, shown, summaryOf } from "../shown.ts";
import type { Question, QuestionAnswer } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { askForWords, pick } from "./pick.ts";

/** As the panel shows it, and as a picker; its draft is a plan that can be changed in an editor. */
export function question(asked: Question, plans: Plans): Inquiry<QuestionAnswer> {
  const { sessionId, draft } = asked;
  return {
    summary: summaryOf(asked.text),
    sessionId,
    sessionTitle: shown(asked.sessionTitle),
    refusal: { label: "Do Not Answer", answer: null },
    message: (id) => ({ type: "question", id, question: asked }),
    ask: (signal) => askNatively(asked, signal),
    open: () => (draft ? plans.open(sessionId) : showText("Question", asked.text, "markdown")),
    ...(draft && {
      complete: (answer) => ({ ...answer, draft: plans.changed(sessionId) }),
      beside: ({ answer }) => {
        const ways = asked.options.map(({ label }, at) => ({
          label,
          icon: at === 0 ? "play" : "arrow-right",
          take: () => answer({ chosen: [label] }),
        }));
        plans.offer(sessionId, draft, ways);
        return { changed: () => undefined, dispose: () => plans.decided(sessionId) };
      },
    }),
  };
}

/** What Enter takes first is no answer. */
async function askNatively(
  asked: Question,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const title = `Glossator: ${shown(asked.text)}`;
  if (asked.options.length === 0) {
    return await askInWords(asked.text, signal);
  }
  const later = { label: "$(clock) Answer later", detail: "", own: false, option: undefined };
  const own = { label: "$(edit) Something else…", detail: "", own: true, option: undefined };
  const offered = asked.options.map(({ label, detail }) => ({
    label: labelled(label),
    detail: labelled(detail),
    own: false,
    option: label,
  }));
  const items = [...(asked.several ? [] : [later]), ...offered, own];
  const placeholder = asked.several ? "Choose what applies" : "Choose an answer";
  const picked = await pick({ title, placeholder, items, several: asked.several }, signal);
  if (!picked) {
    return undefined;
  }
  const chosen = picked.items.flatMap(({ option }) => (option === undefined ? [] : [option]));
  const wordy = picked.items.some((item) => item.own);
  const words = wordy ? ((await askInWords(asked.text, signal))?.words ?? "") : "";
  return chosen.length > 0 || words ? { chosen, words } : undefined;
}

async function askInWords(text: string, signal: AbortSignal): Promise<QuestionAnswer | undefined> {
  const words = await askForWords({ title: "Glossator asks", prompt: shown(text) }, signal);
  return words ? { words } : undefined;
}
