// `glossator/question`: something that only the user can answer.

import { type CancellationToken, window } from "vscode";
import type { Question, QuestionAnswer } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { pick } from "./pick.ts";

/** As the panel shows it, and as a picker. */
export function question(asked: Question): Inquiry<QuestionAnswer> {
  return {
    title: asked.text,
    message: (id) => ({ type: "question", id, question: asked }),
    ask: (token) => askNatively(asked, token),
  };
}

async function askNatively(
  asked: Question,
  token: CancellationToken,
): Promise<QuestionAnswer | undefined> {
  if (asked.options.length === 0) {
    return await askForWords(asked.text, token);
  }
  const own = { label: "$(edit) Something else…", detail: "", own: true, alwaysShow: true };
  const offered = asked.options.map(({ label, detail }) => ({ label, detail, own: false }));
  const picker = {
    title: `Glossator: ${asked.text}`,
    placeholder: asked.several ? "Choose what applies" : "Choose an answer",
    items: [...offered, own],
    several: asked.several,
  };
  const picked = await pick(picker, token);
  if (!picked) {
    return undefined;
  }
  const chosen = picked.items.filter((item) => !item.own).map((item) => item.label);
  const words = picked.items.some((item) => item.own)
    ? await askForWords(asked.text, token)
    : undefined;
  return chosen.length > 0 || words ? { chosen, words: words?.words ?? "" } : undefined;
}

async function askForWords(
  text: string,
  token: CancellationToken,
): Promise<QuestionAnswer | undefined> {
  const words = await window.showInputBox(
    { title: "Glossator asks", prompt: text, ignoreFocusOut: true },
    token,
  );
  return words ? { words } : undefined;
}
