// The model that answers, and what its window holds.

import { window } from "vscode";
import { showMarkdown } from "../editor/texts.ts";
import type { Model } from "../wire.ts";
import { contextReport } from "./context-report.ts";
import { during } from "./during.ts";
import type { CommandTable, Parts } from "./parts.ts";

const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

/** The commands. */
export function models(parts: Parts) {
  return {
    "glossator.setModel": (given) => setModel(parts, given),
    "glossator.showContext": async () => {
      const sessionId = parts.chat.sessionId ?? null;
      const answer = await parts.server.run("glossator.showContext", { sessionId });
      await showMarkdown("Glossator context", contextReport(answer));
    },
  } satisfies CommandTable;
}

/** In a few words: how much fits, and what a million tokens cost. */
export function describeModel({ offline, window: tokens, price }: Model): string {
  if (offline) {
    return "extracts, no model is asked";
  }
  const size = tokens === null ? [] : [`${SHORT.format(tokens)} tokens fit`];
  const cost = price ? [`$${price.input} in, $${price.output} out a million`] : [];
  return [...size, ...cost].join(" · ");
}

async function setModel(parts: Parts, given: unknown): Promise<void> {
  const model = typeof given === "string" && given ? given : await choose(parts);
  if (model) {
    await parts.server.run("glossator.setModel", { model });
    parts.choices.choseModel(model);
    await parts.refresh();
  }
}

async function choose({ server }: Parts): Promise<string | undefined> {
  const { models: known, problem } = await during("listing the models", (token) =>
    server.run("glossator.listModels", {}, token),
  );
  const items = known.map((each) => ({
    label: `${each.current ? "$(check)" : "$(blank)"} ${each.id}`,
    description: describeModel(each),
    id: each.id,
  }));
  const placeHolder = problem || "Answers from the next question on, until the window is closed";
  return (await window.showQuickPick(items, { title: "Glossator: model", placeHolder }))?.id;
}
