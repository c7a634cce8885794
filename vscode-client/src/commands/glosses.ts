// Glosses: explore a symbol, a file or the workspace, and show the report that is kept.

import { randomUUID } from "node:crypto";
import { commands, Uri, window, workspace } from "vscode";
import { UserError } from "../result.ts";
import type { Explored } from "../wire.ts";
import type { CommandTable } from "./command.ts";
import type { Workbench } from "./workbench.ts";

/** What is glossed; the line is 1-based. */
export interface Place {
  readonly uri: string;
  readonly line?: number;
}

/** The commands. */
export function glosses(bench: Workbench) {
  return {
    "glossator.gloss": (given) => gloss(bench, given),
    "glossator.showGloss": (given) => showGloss(bench, given),
    "glossator.exploreWorkspace": () => exploreWorkspace(bench),
  } satisfies CommandTable;
}

/** From a hover or a lens with a place, from the explorer with a file, from the palette without. */
async function gloss(bench: Workbench, given: unknown): Promise<void> {
  const place = placeOf(given);
  const name = workspace.asRelativePath(Uri.parse(place.uri));
  await bench.panel.reveal();
  const about = place.line === undefined ? name : `${name}:${place.line}`;
  await glossed(bench, `Gloss ${about}.`, (run) =>
    bench.server.run("glossator.gloss", { ...place, ...run }),
  );
}

async function exploreWorkspace(bench: Workbench): Promise<void> {
  await bench.panel.reveal();
  await glossed(bench, "Explore this workspace.", (run) =>
    bench.server.run("glossator.exploreWorkspace", run),
  );
}

/** In the chat, and then the report, if it was kept. */
async function glossed(
  { chat }: Workbench,
  question: string,
  explore: (run: { runId: string; sessionId: string | null }) => Promise<Explored>,
): Promise<void> {
  const runId = randomUUID();
  let document: string | null = null;
  await chat.follow({ runId, question, chips: [] }, async (sessionId) => {
    const answer = await explore({ runId, sessionId });
    document = answer.document;
    return answer;
  });
  await preview(document);
}

async function showGloss(bench: Workbench, given: unknown): Promise<void> {
  const key = (given as { key?: unknown } | undefined)?.key;
  if (typeof key !== "string") {
    throw new UserError("Point at a name that has a gloss, and choose “Whole gloss” there.");
  }
  await preview((await bench.server.run("glossator.showGloss", { key })).uri);
}

/** As it is meant to look, with links that lead to the cited lines. */
async function preview(document: string | null): Promise<void> {
  if (document !== null) {
    await commands.executeCommand("markdown.showPreviewToSide", Uri.parse(document));
  }
}

/** Throws `UserError` if no file is open. */
function placeOf(given: unknown): Place {
  if (given instanceof Uri) {
    return { uri: given.toString() };
  }
  if (typeof (given as Place | undefined)?.uri === "string") {
    return given as Place;
  }
  const editor = window.activeTextEditor;
  if (!editor) {
    throw new UserError("No file is open. Open one, put the cursor on a symbol and try again.");
  }
  return { uri: editor.document.uri.toString(), line: editor.selection.active.line + 1 };
}
