// `glossator/review`: which parts of an edit are applied.

import { ThemeIcon, Uri, workspace } from "vscode";
import { openDiff } from "../editor/diff.ts";
import { labelled, shown, summaryOf } from "../shown.ts";
import type { Hunk, Review, ReviewRequest } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { askForWords, pick } from "./pick.ts";

/** As the panel shows it, and as a picker. */
export function review(plan: ReviewRequest): Inquiry<Review> {
  return {
    summary: shown(plan.label),
    sessionId: plan.sessionId,
    sessionTitle: shown(plan.sessionTitle),
    refusal: { label: "Reject", answer: { accepted: [] } },
    message: (id) => ({ type: "review", id, plan }),
    ask: (signal) => askNatively(plan, signal),
    open: () => openDiff(plan),
  };
}

/** Enter alone applies nothing: the parts are ticked first. */
async function askNatively(plan: ReviewRequest, signal: AbortSignal): Promise<Review | undefined> {
  const picker = {
    title: `Glossator: ${shown(plan.label)}`,
    placeholder: "Tick the parts to apply; with none ticked, the edit is rejected",
    items: plan.hunks.map((hunk) => ({ ...described(hunk), id: hunk.id })),
    several: true,
    buttons: [
      {
        iconPath: new ThemeIcon("diff"),
        tooltip: "Open diff",
        press: () => void openDiff(plan),
      },
    ],
  };
  const picked = await pick(picker, signal);
  if (!picked) {
    return undefined;
  }
  const accepted = picked.items.map((item) => item.id);
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
