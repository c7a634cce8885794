// The modes, as they are chosen.

import type { PlanChoice } from "../src/wire.ts";
import type { Choice } from "./ui/menu.tsx";

export { MODES } from "../src/wire.ts";

/** Whether a question is split into tasks that are worked on side by side. */
export const PLANS: readonly (Choice & { readonly id: PlanChoice })[] = [
  { id: "auto", label: "Split hard questions", detail: "A fast model says which are hard" },
  { id: "plan", label: "Always split", detail: "However easy it looks" },
  { id: "direct", label: "Never split", detail: "However hard it looks" },
];
