// The modes, as they are chosen.

import type { Mode } from "../src/wire.ts";
import type { Choice } from "./ui/menu.tsx";

export const MODES: readonly (Choice & { readonly id: Mode })[] = [
  { id: "plan", label: "Plan", detail: "Reads only, and changes nothing" },
  { id: "ask", label: "Ask", detail: "Asks before each change and command" },
  { id: "acceptEdits", label: "Accept edits", detail: "Edits files; asks before commands" },
  { id: "auto", label: "Auto", detail: "Edits files, runs commands in the sandbox" },
];
