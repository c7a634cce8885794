// Ask, search, stop: what the extension is there for.

import { randomUUID } from "node:crypto";
import { type QuickPickItem, type Uri, window } from "vscode";
import { fileChips, selectionChip } from "../editor/chips.ts";
import { pick } from "../ports/pick.ts";
import { UserError } from "../result.ts";
import type { Attachment, Thoroughness } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { search } from "./searching.ts";
import type { Workbench } from "./workbench.ts";

/** What an exploration is to find out. */
interface Wanted {
  readonly question: string;
  readonly thoroughness: Thoroughness;
}

const HOW_FAR: ReadonlyArray<QuickPickItem & { readonly thoroughness: Thoroughness }> = [
  {
    label: "$(telescope) Explore",
    description: "as far as most questions take",
    thoroughness: "medium",
    alwaysShow: true,
  },
  {
    label: "$(zap) Quick",
    description: "a short look",
    thoroughness: "quick",
    alwaysShow: true,
  },
  {
    label: "$(library) Very thorough",
    description: "as far as it takes: minutes, and more tokens",
    thoroughness: "very",
    alwaysShow: true,
  },
];

/** The commands. */
export function asking(bench: Workbench) {
  return {
    "glossator.ask": (given) => ask(bench, given as { question?: string } | undefined),
    "glossator.askAbout": (one, all) => askAbout(bench, one as Uri, all as Uri[] | undefined),
    "glossator.explore": (given) => explore(bench, typeof given === "string" ? given : ""),
    "glossator.search": (given) => search(bench, typeof given === "string" ? given : ""),
    "glossator.cancel": () => bench.chat.stop(),
  } satisfies CommandTable;
}

/** Without a question, it is typed: into the panel, or a box where the panel does not come up. */
async function ask(bench: Workbench, given: { question?: string } | undefined): Promise<void> {
  const chip = selectionChip(window.activeTextEditor);
  const chips = chip ? [chip] : [];
  const visible = await bench.panel.reveal();
  let question = typeof given?.question === "string" ? given.question.trim() : "";
  if (!question && visible) {
    bench.panel.post({ type: "compose", text: "", chips });
    return;
  }
  question ||= (await askInBox())?.trim() ?? "";
  if (question) {
    const attachments: Attachment[] = chips.map((each) => each.attachment);
    await bench.chat.ask({ runId: randomUUID(), question, attachments, chips });
  }
}

/** Files and folders of the explorer: the one under the pointer, or all that are selected. */
async function askAbout(
  { panel }: Workbench,
  one: Uri,
  all: readonly Uri[] = [one],
): Promise<void> {
  const chips = await fileChips(all.map(String));
  await panel.reveal();
  panel.post({ type: "compose", text: "", chips });
}

/** What is selected goes with it, as with a question. */
async function explore(bench: Workbench, words: string): Promise<void> {
  const chip = selectionChip(window.activeTextEditor);
  const chips = chip ? [chip] : [];
  const question = words.trim();
  const wanted: Wanted | undefined = question
    ? { question, thoroughness: "medium" }
    : await exploreInBox();
  if (wanted) {
    await bench.panel.reveal();
    const attachments: Attachment[] = chips.map((each) => each.attachment);
    const { question: task, thoroughness } = wanted;
    const runId = randomUUID();
    await bench.chat.follow({ runId, question: task, chips }, (sessionId) => {
      const request = { task, thoroughness, attachments, runId, sessionId };
      return bench.server.run("glossator.explore", request);
    });
  }
}

async function askInBox(): Promise<string | undefined> {
  return await window.showInputBox({
    title: "Glossator: ask",
    prompt: "The answer comes in the chat panel. @path shows it a file.",
    ignoreFocusOut: true,
  });
}

/** What to find out, and how far to go. Throws `UserError` for nothing. */
async function exploreInBox(): Promise<Wanted | undefined> {
  const picker = {
    title: "Glossator: explore — a sub-agent searches and reads, and reports in the chat panel",
    placeholder: "Where is a cancelled request heard, and what does it end?",
    items: HOW_FAR,
    words: true,
  };
  const picked = await pick(picker);
  if (!picked) {
    return undefined;
  }
  if (!picked.words) {
    throw new UserError("There is nothing to explore yet. Type what you want to know.");
  }
  return { question: picked.words, thoroughness: picked.items[0]?.thoroughness ?? "medium" };
}
