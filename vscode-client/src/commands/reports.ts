// The server's reports about itself, as Markdown.

import type { Check, CheckState, DoctorAnswer, Spending, StatusAnswer } from "../wire.ts";
import { count, escaped, section, table } from "./markdown.ts";

const MEGABYTE = 1_000_000;
const STATES: Readonly<Record<CheckState, string>> = {
  ok: "✓",
  warning: "warning", // one word each, so that a narrow column does not break them
  failed: "failed",
};

/** How the server is. */
export function statusReport(status: StatusAnswer): string {
  const { index, chunks, cache } = status;
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Version", status.version],
    ["Model", status.offline ? "none is asked: answers are extracts" : status.model],
    ["Mode of new sessions", status.mode],
    ["Folders", status.roots.join(", ") || "none"],
    ["Files", `${count(status.files)}${status.scanning ? ", still being listed" : ""}`],
    ["Open documents", count(status.openDocuments)],
    ["Watcher", status.watcher],
    [
      "Index",
      `${index.state}; ${count(index.documents)} files, ${megabytes(index.diskBytes)} on disk`,
    ],
    ["Not in the index yet", count(index.pending)],
    [
      "Index for Search",
      `${chunks.state}; ${count(chunks.files)} files, ${megabytes(chunks.diskBytes)} on disk`,
    ],
    ["Not in it yet", count(chunks.pending)],
    ["Embeddings", chunks.embedding],
    ...(status.sharing ? ([["Generated contexts", status.sharing]] as const) : []),
    ["Worker", status.worker],
    ["ripgrep", status.ripgrep],
    ["Memory", megabytes(status.memoryBytes)],
    ["Texts in memory", `${count(cache.entries)}, ${megabytes(cache.bytes)}`],
    ["Open sessions", count(status.sessions)],
  ];
  const skipped = status.skipped.map(
    ({ rule, count: paths, example }) => [rule, `${count(paths)}, such as ${example}`] as const,
  );
  return [
    "# Glossator",
    table(["", ""], rows),
    ...section("Problems of the index", index.problems.map((each) => `- ${each}`).join("\n")),
    ...section("Files that fail", status.failed.map((each) => `- ${escaped(each)}`).join("\n")),
    ...section("Left out of searches", skipped.length > 0 ? table(["By", "Paths"], skipped) : ""),
    ...section("What sessions took", spending(status.spending)),
  ].join("\n\n");
}

/** What works, what does not, and what to do. */
export function doctorReport({ checks }: DoctorAnswer): string {
  const steps = checks.filter((check) => check.nextStep).map(stepOf);
  const rows = checks.map(({ name, state, detail }) => [name, STATES[state], detail] as const);
  return [
    "# Glossator doctor",
    steps.length > 0 ? steps.join("\n") : "All is well.",
    table(["Looked at", "", "Found"], rows),
  ].join("\n\n");
}

function stepOf({ name, nextStep }: Check): string {
  return `- **${escaped(name)}:** ${escaped(nextStep)}`;
}

function spending(sessions: readonly Spending[]): string {
  const rows = sessions.map(({ title, usage, dollars }) => [
    title,
    count(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens),
    count(usage.outputTokens),
    dollars === null ? "not known" : `$${dollars.toFixed(2)}`,
  ]);
  return rows.length > 0 ? table(["Session", "Tokens in", "Tokens out", "Cost"], rows) : "";
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
