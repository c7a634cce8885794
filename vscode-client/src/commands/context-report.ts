// The context inspector: what is in the model's window, how much of it, and why.

import type { ContextAnswer, Layer } from "../wire.ts";
import { count, escaped, section, table } from "./markdown.ts";

const BAR_CHARACTERS = 20;

/** The window, layer by layer. */
export function contextReport(context: ContextAnswer): string {
  const { tokens, window, compactAt, cached, cachedUntil, basis, model, offline } = context;
  const share = window > 0 ? Math.round((100 * tokens) / window) : 0;
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Model", offline ? "none is asked" : model],
    ["In the window", `${count(tokens)} of ${count(window)} tokens (${share} %)`],
    ["Cached", `${count(cached)} tokens${cachedUntil ? `, until ${timeOf(cachedUntil)}` : ""}`],
    ["Compacted at", compactAt === null ? "never" : `${count(compactAt)} tokens`],
    ["Counted", basis],
  ];
  return [
    `# Context${context.title ? `: ${escaped(context.title)}` : ""}`,
    table(["", ""], rows),
    ...context.layers.flatMap((layer) => layerOf(layer, tokens)),
    ...section("Left out", context.leftOut.map((each) => `- ${escaped(each)}`).join("\n")),
  ].join("\n\n");
}

function layerOf({ name, tokens, parts }: Layer, all: number): string[] {
  const rows = parts.map((part) => [
    part.count > 1 ? `${part.name} × ${part.count}` : part.name,
    part.deferred ? "when asked for" : count(part.tokens),
    bar(part.tokens, all),
    count(part.cached),
    part.cut ? `${part.why}; cut: ${part.cut}` : part.why,
  ]);
  const heads = ["Part", "Tokens", "", "Cached", "Why"];
  return section(`${name} — ${count(tokens)} tokens`, table(heads, rows));
}

function timeOf(moment: string): string {
  return new Date(moment).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

function bar(tokens: number, all: number): string {
  return "█".repeat(all > 0 ? Math.ceil((BAR_CHARACTERS * tokens) / all) : 0);
}
