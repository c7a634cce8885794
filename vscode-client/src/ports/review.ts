// `glossator/review`: which parts of an edit are applied.

import { type CancellationToken, ThemeIcon, Uri, window, workspace } from "vscode";
import { openDiff } from "../editor/diff.ts";
import type { EditPlan, Hunk, Review } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { pick } from "./pick.ts";

/** As the panel shows it, and as a picker. */
export function review(plan: EditPlan): Inquiry<Review> {
  return {
    title: plan.label,
    message: (id) => ({ type: "review", id, plan }),
    ask: (token) => askNatively(plan, token),
  };
}

async function askNatively(plan: EditPlan, token: CancellationToken): Promise<Review | undefined> {
  const picker = {
    title: `Glossator: ${plan.label}`,
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
  const picked = await pick(picker, token);
  if (!picked) {
    return undefined;
  }
  const accepted = picked.items.map((item) => item.id);
  if (accepted.length > 0) {
    return { accepted };
  }
  const prompt = "What should it do instead? Enter leaves this empty.";
  const options = { title: "Glossator: edit rejected", prompt, ignoreFocusOut: true };
  return { accepted, message: (await window.showInputBox(options, token)) ?? "" };
}

const VERBS = { edit: "Change", create: "Create", delete: "Delete", rename: "Rename" } as const;

function described(hunk: Hunk): { label: string; description: string; detail: string } {
  const path = workspace.asRelativePath(Uri.file(hunk.path));
  if (hunk.kind === "rename") {
    const to = workspace.asRelativePath(Uri.file(hunk.after));
    return { label: `${VERBS.rename} ${path}`, description: `to ${to}`, detail: "" };
  }
  const counts = `+${linesIn(hunk.after)} −${linesIn(hunk.before)}`;
  const place = hunk.kind === "edit" ? `${path}:${hunk.firstLine}` : path;
  const detail = (hunk.after || hunk.before).trim().split("\n", 1)[0] ?? "";
  return { label: `${VERBS[hunk.kind]} ${place}`, description: counts, detail };
}

function linesIn(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
