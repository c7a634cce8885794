import assert from "node:assert/strict";
import { test } from "node:test";
import { changedBlocks } from "../../src/line-diff.ts";

const lines = (text: string) => text.split("");

for (const [old, now, blocks] of [
  ["abc", "abc", []],
  ["", "ab", ["0-0 0-2"]],
  ["abc", "", ["0-3 0-0"]],
  ["abcdef", "aBcdf", ["1-2 1-2", "4-5 4-4"]],
  ["abcabba", "cbabac", undefined],
  ["aaaa", "aaaaaa", ["4-4 4-6"]],
] as const) {
  test(`the blocks that make ${now || "nothing"} of ${old || "nothing"}`, () => {
    const found = changedBlocks(lines(old), lines(now));
    const told = found.map((each) => `${each.oldStart}-${each.oldEnd} ${each.start}-${each.end}`);
    assert.deepEqual(told, blocks ?? told);
    assert.equal(made(lines(old), lines(now)), now);
  });
}

test("texts that differ in many places, and too many", () => {
  const old = Array.from({ length: 3000 }, (_, at) => `line ${at}`);
  const few = old.map((line, at) => (at % 30 === 0 ? `${line}!` : line));
  assert.equal(changedBlocks(old, few).length, 100);
  assert.equal(made(old, few), few.join(""));
  const all = old.map((line, at) => (at % 2 === 0 ? `${line}!` : line));
  assert.equal(changedBlocks(old, all).length, 1);
  assert.equal(made(old, all), all.join(""));
});

/** The new text, from the old one and the lines of the blocks alone. */
function made(old: readonly string[], now: readonly string[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { oldStart, oldEnd, start, end } of changedBlocks(old, now)) {
    parts.push(...old.slice(at, oldStart), ...now.slice(start, end));
    at = oldEnd;
  }
  return [...parts, ...old.slice(at)].join("");
}
