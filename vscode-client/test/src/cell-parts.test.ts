import assert from "node:assert/strict";
import { test } from "node:test";
import { beginning, isWithin, partsAt, sourceBefore } from "../../src/editor/cell-parts.ts";
import { ChangedText } from "../../src/editor/changed-text.ts";

function list(...sources: readonly string[]): string {
  return sources.map((source) => `${beginning("code")}\n${source}\n`).join("");
}

function parts(before: string, after: string) {
  const text = new ChangedText(before);
  text.becomes(after);
  return text.parts;
}

test("parts of a cell bring its source of before back", () => {
  const [BEFORE, AFTER] = ["a = 1\nb = 2\nc = 3", "A = 1\nb = 2\nc = 3\nd = 4"];
  const all = parts(list("x", BEFORE, "y"), list("X", AFTER, "y"));
  const own = partsAt(all, 2, 7);
  assert.deepEqual([all.length, own.length, isWithin(own, 2, 7)], [3, 2, true]);
  assert.equal(sourceBefore(AFTER, 2, own), BEFORE);
  assert.deepEqual(partsAt(all, 7, 9), []);
  const went = partsAt(parts(list("x\ny\nz"), list("x\nz")), 0, 3);
  assert.equal(sourceBefore("x\nz", 0, went), "x\ny\nz");
});

test("a cell that came, or one that went, is not undone alone", () => {
  const came = partsAt(parts(list("x"), list("x", "y")), 2, 4);
  assert.equal(isWithin(came, 2, 4), false);
  const all = parts(list("x", "y", "z"), list("x", "Z"));
  assert.equal(isWithin(partsAt(all, 2, 4), 2, 4), false);
});
