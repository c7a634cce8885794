// `glossator/review`: which parts of an edit are applied.

import { ThemeIcon, Uri, workspace } from "vscode";
import { openDiff } from "../editor/diff.ts";
import { keptOf, reviewed } from "../editor/parts.ts";
import type { Proposal, Proposals } from "../editor/proposals.ts";
import { labelled, shown, summaryOf } from "../shown.ts";
import { ACTS, type Hunk, type Review, type ReviewRequest } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { askForWords, pick } from "./pick.ts";

/** As the panel shows it, and as a picker; `taken` gets what of it is accepted, wherever that is. */
export function review(
  plan: ReviewRequest,
  proposals: Proposals,
  taken: (hunks: readonly Hunk[]) => void,
): Inquiry<Review> {
  let proposal: Proposal | undefined;
  const open = () => (proposal ? proposal.open() : openDiff(plan));
  return {
    summary: shown(plan.label),
    sessionId: plan.sessionId,
    sessionTitle: shown(plan.sessionTitle),
    refusal: { label: ACTS.reject, answer: { accepted: [] } },
    message: (id) => ({ type: "review", id, plan }),
    ask: (signal, leftOut) => askNatively(plan, keptOf(plan.hunks, leftOut), signal, open),
    open,
    complete: (answer, leftOut) => {
      const review = reviewed(answer, leftOut);
      taken(plan.hunks.filter(({ id }) => review.accepted.includes(id)));
      return review;
    },
    beside: ({ leftOut, leaveOut, answer }) => {
      const all = plan.hunks.map(({ id }) => id);
      const decide = (take: boolean) => answer({ accepted: take ? all : [] });
      proposal = proposals.propose(plan, { leftOut, leaveOut, decide });
      return proposal;
    },
  };
}

/** Enter alone applies nothing: the parts are ticked first. */
async function askNatively(
  plan: ReviewRequest,
  hunks: readonly Hunk[],
  signal: AbortSignal,
  open: () => Promise<void>,
): Promise<Review | undefined> {
  const each = hunks.map((hunk) => ({ ...described(hunk), ids: [hunk.id] }));
  const all = { label: shown(plan.label), ids: hunks.map(({ id }) => id) };
  const picker = {
    title: `Glossator: ${shown(plan.label)}`,
    placeholder: `Tick ${plan.asOne ? "it" : "the parts"} to accept; with none ticked, the edit is rejected`,
    items: plan.asOne ? [all] : each,
    several: true,
    buttons: [
      {
        iconPath: new ThemeIcon("diff"),
        tooltip: "Open diff",
        press: () => void open(),
      },
    ],
  };
  const picked = await pick(picker, signal);
  if (!picked) {
    return undefined;
  }
  const accepted = picked.items.flatMap(({ ids }) => ids);
  if (accepted.length > 0) {
    return { accepted };
  }
  const prompt = "What should it do instead? Enter leaves this empty.";
  const message = await askForWords({ title: "Glossator: edit rejected", prompt }, signal);
  return { accepted, message: message ?? "" };
}

const VERBS = { edit: "Change", create: "Create", delete: "Delete", rename: "Rename" } as const;

function described(hunk: Hunk): { label: string; description: string; detail: string } {
  const path = labelled(workspace.asRelativePath(Uri.file(hunk.path)));
  if (hunk.kind === "rename") {
    const to = labelled(workspace.asRelativePath(Uri.file(hunk.after)));
    return { label: `${VERBS.rename} ${path}`, description: `to ${to}`, detail: "" };
  }
  const counts = `+${linesIn(hunk.after)} −${linesIn(hunk.before)}`;
  const place = hunk.kind === "edit" ? `${path}:${hunk.firstLine}` : path;
  const detail = labelled(summaryOf(hunk.after || hunk.before));
  return { label: `${VERBS[hunk.kind]} ${place}`, description: counts, detail };
}

function linesIn(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
