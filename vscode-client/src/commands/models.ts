// The model that answers, and what its window holds.

import { type QuickPickItem, window } from "vscode";
import { showMarkdown } from "../editor/texts.ts";
import type { Model } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { contextReport } from "./context-report.ts";
import { during } from "./during.ts";
import { insteadOfKey, type LocalModel, separator, use } from "./local-servers.ts";
import type { Workbench } from "./workbench.ts";

const SHORT = new Intl.NumberFormat("en", { notation: "compact" });

/** The commands. */
export function models(bench: Workbench) {
  return {
    "glossator.setModel": (given) => setModel(bench, given),
    "glossator.showContext": async () => {
      const sessionId = bench.chat.sessionId ?? null;
      const answer = await bench.server.run("glossator.showContext", { sessionId });
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
  const cost = price ? [`$${price.input} per million tokens in, $${price.output} out`] : [];
  return [...size, ...cost].join(" · ");
}

async function setModel(bench: Workbench, given: unknown): Promise<void> {
  const model = typeof given === "string" && given ? given : await choose(bench);
  if (typeof model === "object") {
    await use(bench.memento, model);
  } else if (model) {
    await bench.server.run("glossator.setModel", { model });
    bench.choices.choseModel(model);
    await bench.refresh();
  }
}

/** One that the server knows, or one of another server on this machine. */
async function choose(bench: Workbench): Promise<string | LocalModel | undefined> {
  const { models: known, problem } = await during("listing the models", (token) =>
    bench.server.run("glossator.listModels", {}, token),
  );
  const local = await insteadOfKey(bench);
  const listed = known.map((each) => ({
    label: `${each.current ? "$(check)" : "$(blank)"} ${each.id}`,
    description: describeModel(each),
    id: each.id,
  }));
  const placeHolder = problem || "Answers from the next question on, until the window is closed";
  const items = [...local, ...(local.length > 0 ? [separator("")] : []), ...listed];
  const title = "Glossator: model";
  const picked = await window.showQuickPick<QuickPickItem>(items, { title, placeHolder });
  return local.find((each) => each === picked) ?? listed.find((each) => each === picked)?.id;
}
