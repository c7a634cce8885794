// The modes, as they are chosen.

import type { Mode, PlanChoice } from "../src/wire.ts";
import type { Choice } from "./ui/menu.tsx";

export const MODES: readonly (Choice & { readonly id: Mode })[] = [
  { id: "plan", label: "Plan", detail: "Reads only, and changes nothing" },
  { id: "ask", label: "Ask", detail: "Asks before each change and command" },
  { id: "acceptEdits", label: "Accept edits", detail: "Edits files; asks before commands" },
  { id: "auto", label: "Auto", detail: "Edits files, runs commands in the sandbox" },
];

/** Whether a question is split into tasks that are worked on side by side. */
export const PLANS: readonly (Choice & { readonly id: PlanChoice })[] = [
  { id: "auto", label: "Split hard questions", detail: "A fast model says which are hard" },
  { id: "plan", label: "Always split", detail: "However easy it looks" },
  { id: "direct", label: "Never split", detail: "However hard it looks" },
];
