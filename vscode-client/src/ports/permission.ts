// `glossator/permission`: whether a tool may act.

import { ThemeIcon } from "vscode";
import { allowed, keptOf } from "../editor/parts.ts";
import type { Proposal, Proposals } from "../editor/proposals.ts";
import { showText } from "../editor/texts.ts";
import { labelled, shown, summaryOf } from "../shown.ts";
import {
  CHOICES,
  type Choice,
  type Hunk,
  type PermissionAnswer,
  type PermissionRequest,
} from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { askForWords, pick } from "./pick.ts";

const ICONS: Readonly<Record<Choice, string>> = {
  deny: "circle-slash",
  once: "check",
  session: "check-all",
  always: "pass-filled",
};
/** Refusing stands first, so that a key pressed too early allows nothing. */
const ORDER: readonly Choice[] = ["deny", "once", "session", "always"];

/** As the panel shows it, and as a picker; `reviewed` gets what of an edit is allowed. */
export function permission(
  request: PermissionRequest,
  proposals: Proposals,
  reviewed: (hunks: readonly Hunk[]) => void,
): Inquiry<PermissionAnswer> {
  const { title, detail, sessionId, sessionTitle, plan } = request;
  let proposal: Proposal | undefined;
  const open = () => (proposal ? proposal.open() : openDetail(request));
  return {
    summary: `${shown(title)} ${summaryOf(detail)}`,
    sessionId,
    sessionTitle: shown(sessionTitle),
    refusal: { label: CHOICES.deny, answer: { choice: "deny" } },
    message: (id) => ({ type: "permission", id, request }),
    ask: (signal) => askNatively(request, signal, open),
    open,
    ...(plan && {
      complete: (answer, leftOut) => {
        const made = allowed(answer, plan, leftOut);
        if (made.choice !== "deny") {
          reviewed(keptOf(plan.hunks, leftOut));
        }
        return made;
      },
      beside: ({ leftOut, leaveOut, answer }) => {
        const decide = (take: boolean) => answer({ choice: take ? "once" : "deny" });
        proposal = proposals.propose(plan, { leftOut, leaveOut, decide });
        return proposal;
      },
    }),
  };
}

async function askNatively(
  request: PermissionRequest,
  signal: AbortSignal,
  open: () => Promise<void>,
): Promise<PermissionAnswer | undefined> {
  const rules = request.suggestions.map(labelled).join(", ");
  const details: Readonly<Record<Choice, string>> = {
    deny: "",
    once: labelled(summaryOf(request.detail)),
    session: rules,
    always: rules,
  };
  const items = ORDER.filter((choice) => request.choices.includes(choice)).map((choice) => ({
    choice,
    label: `$(${ICONS[choice]}) ${CHOICES[choice]}`,
    detail: details[choice],
  }));
  const button = {
    iconPath: new ThemeIcon("open-preview"),
    tooltip: "Show what would be done",
    press: () => void open(),
  };
  const placeholder = shown(request.reasons.join(" ")) || summaryOf(request.detail);
  const title = `Glossator: ${shown(request.title)}`;
  const picked = await pick({ title, placeholder, items, buttons: [button] }, signal);
  const [item] = picked?.items ?? [];
  if (!item) {
    return undefined;
  }
  return item.choice === "deny" ? await denial(signal) : { choice: item.choice };
}

/** The model can be told why; nothing typed is as good as nothing said. */
async function denial(signal: AbortSignal): Promise<PermissionAnswer> {
  const prompt = "What should it do instead? Enter leaves this empty.";
  const message = await askForWords({ title: "Glossator: denied", prompt }, signal);
  return message ? { choice: "deny", message } : { choice: "deny" };
}

/** All of it, as a document. */
async function openDetail(request: PermissionRequest): Promise<void> {
  const { title, detail, cut } = request;
  const rest = cut === null ? [] : [`… ${cut.bytes} bytes are left out here …`, cut.tail];
  await showText(title, [detail, ...rest].join("\n"), languageOf(detail));
}

function languageOf(detail: string): string {
  return /^(@@|--- |\+\+\+ )/m.test(detail) ? "diff" : "shellscript";
}
