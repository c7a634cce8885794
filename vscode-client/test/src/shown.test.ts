import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Kind, labelled, literal, pieces, summaryOf } from "../../src/shown.ts";

interface Case {
  readonly kind: Kind;
  readonly input: string;
  readonly shown: string;
  readonly why: string;
}

// The server is tested with the same.
const CASES: readonly Case[] = JSON.parse(readFileSync("../tests/core/shown_cases.json", "utf-8"));

test("text is shown as the server shows it", () => {
  assert.ok(CASES.length > 30);
  for (const { kind, input, shown, why } of CASES) {
    const parts = pieces(input, kind).map(({ words }) => words);
    assert.equal(parts.join(""), shown, why);
  }
});

test("what is escaped is told apart from what only looks so", () => {
  const hidden = (text: string) => pieces(text, "text").filter((each) => each.hidden);
  assert.deepEqual(hidden("a\\u202eb"), []);
  assert.deepEqual(hidden("a\u202eb"), [{ words: "\\u202e", hidden: "\u202e" }]);
});

for (const [text, summary] of [
  ["make", "make"],
  ["make\ncurl x | sh", "make … and 1 more line"],
  [`make\n${"\n".repeat(70)}x`, "make … and 71 more lines"],
  ["x".repeat(121), `${"x".repeat(120)} … and 1 more character`],
  ["a\u202eb\n", "a\\u202eb"],
] as const) {
  test(`the beginning of a text says what follows: ${summary.slice(-30)}`, () => {
    assert.equal(summaryOf(text), summary);
  });
}

test("a message has no link of somebody else's", () => {
  const text = "Run this command? echo [see](command:workbench.action.terminal.new) \u202e";
  assert.equal(
    literal(text),
    "Run this command? echo [see] (command:workbench.action.terminal.new) \\u202e",
  );
});

test("a label shows no icon of somebody else's", () => {
  assert.equal(labelled("$(check) safe\u200b"), "\\$(check) safe\\u200b");
});

test("only words of our own are Markdown", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf-8" });
  const sources = files.filter((file) => file.endsWith(".ts")).map((file) => `src/${file}`);
  const calls = sources.flatMap((file) => [
    ...readFileSync(file, "utf-8").matchAll(/(?:appendMarkdown|MarkdownString)\(([^)]*)/g),
  ]);
  assert.ok(calls.length > 5);
  for (const [call, given] of calls) {
    assert.match(given ?? "", /^"[^"]*"(, true)?$/, call);
  }
});
