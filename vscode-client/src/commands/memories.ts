// What is remembered from earlier sessions: opening the file of a memory, and forgetting one.

import { type QuickPickItem, Uri, window } from "vscode";
import { confirm } from "../notices.ts";
import { labelled } from "../shown.ts";
import type { Memory } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import { during } from "./during.ts";
import type { Workbench } from "./workbench.ts";

const ICONS: Readonly<Record<Memory["state"], string>> = {
  on: "notebook",
  off: "circle-slash",
  stale: "warning",
};
const FORGET = "Forget";

/** A memory by its name, and whether it is one for all workspaces. */
type Named = Pick<Memory, "name" | "source">;

interface Item extends QuickPickItem {
  readonly memory: Memory;
}

/** The commands; each takes a memory, or lets the user choose one. */
export function memories(bench: Workbench) {
  return {
    "glossator.openMemory": async (given) => {
      const memory = await chosen(bench, given, "open");
      if (memory) {
        const { uri } = await bench.server.run("glossator.openMemory", requestOf(memory));
        await window.showTextDocument(Uri.parse(uri));
      }
    },
    "glossator.forgetMemory": async (given) => {
      const memory = await chosen(bench, given, "forget");
      const detail = "Its file is deleted for good, and no later session is told of it.";
      if (memory && (await confirm(`Forget ${memory.name}?`, detail, FORGET)) === FORGET) {
        await bench.server.run("glossator.forgetMemory", requestOf(memory));
        bench.refreshContext();
      }
    },
  } satisfies CommandTable;
}

function requestOf({ name, source }: Named) {
  return { name, everywhere: source === "user" };
}

async function chosen(bench: Workbench, given: unknown, verb: string): Promise<Named | undefined> {
  if (typeof given === "object" && given !== null && "name" in given && "source" in given) {
    return given as Named;
  }
  const { memories: known, problems } = await during("listing the memories", (token) =>
    bench.server.run("glossator.listMemories", {}, token),
  );
  for (const problem of problems) {
    void window.showWarningMessage(problem);
  }
  const placeHolder =
    known.length > 0
      ? `Pick a memory to ${verb} it`
      : "Nothing is remembered here; the model asks you before it keeps something";
  const title = "Glossator: memories";
  return (await window.showQuickPick(known.map(itemOf), { title, placeHolder }))?.memory;
}

function itemOf(memory: Memory): Item {
  const where = memory.source === "user" ? "everywhere" : "this workspace";
  const from = [memory.origin, memory.why].filter((each) => each !== "").join("; ");
  return {
    memory,
    label: `$(${ICONS[memory.state]}) ${labelled(memory.name)}`,
    description: `${memory.type}, ${where}; ${labelled(from)}`,
    detail: labelled(memory.description),
  };
}
