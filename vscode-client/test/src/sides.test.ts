import assert from "node:assert/strict";
import { test } from "node:test";
import { sidesOf } from "../../src/editor/sides.ts";
import type { Hunk } from "../../src/wire.ts";

const TEXT = "one\ntwo\nthree\nfour\n";
const hunk = (firstLine: number, before: string, after: string): Hunk => ({
  id: `${firstLine}`,
  kind: "edit",
  path: "/a",
  firstLine,
  before,
  after,
});
const first = hunk(1, "one\n", "ONE\nand more\n");
const second = hunk(4, "four\n", "");
const inserted = hunk(3, "", "new\n");

for (const [name, hunks, text, before, after] of [
  ["not applied", [second, first], TEXT, TEXT, "ONE\nand more\ntwo\nthree\n"],
  ["applied", [first, second], "ONE\nand more\ntwo\nthree\n", TEXT, "ONE\nand more\ntwo\nthree\n"],
  [
    "applied in part",
    [first, second],
    "ONE\nand more\ntwo\nthree\nfour\n",
    TEXT,
    "ONE\nand more\ntwo\nthree\n",
  ],
  ["an insertion", [inserted], TEXT, TEXT, "one\ntwo\nnew\nthree\nfour\n"],
  [
    "an insertion that is there",
    [inserted],
    "one\ntwo\nnew\nthree\n",
    "one\ntwo\nthree\n",
    "one\ntwo\nnew\nthree\n",
  ],
  ["typed over meanwhile", [first, second], "else\n", "one\n⋯\nfour\n", "ONE\nand more\n⋯\n"],
  ["a file that is gone", [first], undefined, "one\n", "ONE\nand more\n"],
  ["CRLF", [hunk(2, "b\r\n", "B\r\n")], "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nB\r\n"],
  ["no line end at the end", [hunk(2, "b", "B")], "a\nb", "a\nb", "a\nB"],
] as const) {
  test(`the two sides of a diff: ${name}`, () => {
    assert.deepEqual(sidesOf(hunks, text), { before, after });
  });
}

test("a new file, and one that goes", () => {
  const made = { ...hunk(1, "", "text\n"), kind: "create" } as const;
  assert.deepEqual(sidesOf([made], undefined), { before: "", after: "text\n" });
  const gone = { ...hunk(1, "text\n", ""), kind: "delete" } as const;
  assert.deepEqual(sidesOf([gone], "text\n"), { before: "text\n", after: "" });
});
