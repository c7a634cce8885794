// `glossator/permission`: whether a tool may act.

import { type CancellationToken, ThemeIcon, window } from "vscode";
import { showText } from "../editor/texts.ts";
import type { Choice, PermissionAnswer, PermissionRequest } from "../wire.ts";
import type { Inquiry } from "./inquiries.ts";
import { pick } from "./pick.ts";

const CHOICES: Readonly<Record<Choice, { readonly icon: string; readonly label: string }>> = {
  deny: { icon: "circle-slash", label: "Deny" },
  once: { icon: "check", label: "Allow once" },
  session: { icon: "check-all", label: "Allow for this session" },
  always: { icon: "pass-filled", label: "Always allow here" },
};
/** Denying stands first, so that a key pressed too early allows nothing. */
const ORDER: readonly Choice[] = ["deny", "once", "session", "always"];

/** As the panel shows it, and as a picker. */
export function permission(request: PermissionRequest): Inquiry<PermissionAnswer> {
  return {
    title: request.title,
    message: (id) => ({ type: "permission", id, request }),
    ask: (token) => askNatively(request, token),
  };
}

async function askNatively(
  request: PermissionRequest,
  token: CancellationToken,
): Promise<PermissionAnswer | undefined> {
  const rules = request.suggestions.join(", ");
  const details: Readonly<Record<Choice, string>> = {
    deny: "",
    once: firstLine(request.detail),
    session: rules,
    always: rules,
  };
  const items = ORDER.filter((choice) => request.choices.includes(choice)).map((choice) => ({
    choice,
    label: `$(${CHOICES[choice].icon}) ${CHOICES[choice].label}`,
    detail: details[choice],
  }));
  const button = {
    iconPath: new ThemeIcon("open-preview"),
    tooltip: "Show what would be done",
    press: () => void showText("Permission", detailsOf(request), languageOf(request.detail)),
  };
  const placeholder = request.reasons.join(" ") || firstLine(request.detail);
  const title = `Glossator: ${request.title}`;
  const picked = await pick({ title, placeholder, items, buttons: [button] }, token);
  const [item] = picked?.items ?? [];
  if (!item) {
    return undefined;
  }
  return item.choice === "deny" ? await denial(token) : { choice: item.choice };
}

/** The model can be told why; nothing typed is as good as nothing said. */
async function denial(token: CancellationToken): Promise<PermissionAnswer> {
  const prompt = "What should it do instead? Enter leaves this empty.";
  const options = { title: "Glossator: denied", prompt, ignoreFocusOut: true };
  const message = await window.showInputBox(options, token);
  return message ? { choice: "deny", message } : { choice: "deny" };
}

function detailsOf({ title, detail, reasons }: PermissionRequest): string {
  return [title, ...reasons, "", detail].join("\n");
}

function languageOf(detail: string): string {
  return /^(@@|--- |\+\+\+ )/m.test(detail) ? "diff" : "shellscript";
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
