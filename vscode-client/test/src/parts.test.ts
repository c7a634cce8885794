import assert from "node:assert/strict";
import { test } from "node:test";
import { allowed, PartsOfEdit, reviewed } from "../../src/editor/parts.ts";
import type { Hunk } from "../../src/wire.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\n";
const hunk = (firstLine: number, before: string, after: string): Hunk => ({
  id: `${firstLine}`,
  kind: "edit",
  path: "/a",
  firstLine,
  before,
  after,
});
const HUNKS = [
  hunk(5, "five\n", "FIVE\n"),
  hunk(1, "one\n", "ONE\nand more\n"),
  hunk(3, "three\n", ""),
];

/** The parts, and the ids of those that are left out. */
function opened() {
  const leftOut = new Set<string>();
  const leaveOut = (id: string, out: boolean) => {
    leftOut.delete(id);
    if (out) {
      leftOut.add(id);
    }
  };
  return { leftOut, parts: new PartsOfEdit(HUNKS, { leftOut: () => leftOut, leaveOut }) };
}

test("what is left out stays as it was, and the parts below move with it", () => {
  const { parts } = opened();
  assert.equal(parts.sides(TEXT).after, "ONE\nand more\ntwo\nfour\nFIVE\n");
  const lines = () => parts.places(TEXT).map(({ line }) => line);
  assert.deepEqual(lines(), [0, 3, 4]);
  parts.decide("1", false);
  assert.deepEqual(parts.sides(TEXT), { before: TEXT, after: "one\ntwo\nfour\nFIVE\n" });
  assert.deepEqual(lines(), [0, 2, 3]);
  parts.decide("1", true);
  assert.deepEqual(lines(), [0, 3, 4]);
});

test("it is decided once each part is", () => {
  const { leftOut, parts } = opened();
  parts.decide("1", true);
  parts.decide("3", false);
  parts.decide("nothing", false);
  assert.equal(parts.decided, false);
  assert.deepEqual([...leftOut], ["3"]);
  parts.decide("5", false);
  assert.equal(parts.decided, true);
  parts.decide("1", false);
  assert.deepEqual([...leftOut], ["3", "5", "1"]);
  assert.deepEqual(parts.sides(TEXT), { before: TEXT, after: TEXT });
});

test("the part at a line is the one there, or above", () => {
  const { parts } = opened();
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((line) => parts.at(line, TEXT)),
    ["1", "1", "1", "3", "5"],
  );
});

test("where somebody else was in the file, the parts are shown alone", () => {
  const { parts } = opened();
  assert.equal(parts.sides("else\n").after, "ONE\nand more\n⋯\n⋯\nFIVE\n");
  assert.deepEqual(
    parts.places("else\n").map(({ line }) => line),
    [0, 3, 4],
  );
});

test("what the card leaves out is left out in the diff, and may be taken there", () => {
  const { leftOut, parts } = opened();
  leftOut.add("3");
  const taken = () => parts.places(TEXT).map((part) => part.taken);
  assert.deepEqual(taken(), [undefined, false, undefined]);
  assert.equal(parts.sides(TEXT).after, "ONE\nand more\ntwo\nthree\nfour\nFIVE\n");
  parts.decide("3", true);
  assert.deepEqual(taken(), [undefined, true, undefined]);
  assert.deepEqual([...leftOut], []);
});

test("an answer is for all parts but those that are left out", () => {
  const plan = { id: "e", label: "Edit a", hunks: HUNKS, asOne: false };
  const some = new Set(["1", "3"]);
  const all = new Set(["1", "3", "5"]);
  const once = { choice: "once", message: "So." } as const;
  assert.deepEqual(allowed(once, plan, new Set()), once);
  assert.deepEqual(allowed(once, plan, some), { ...once, parts: ["5"] });
  assert.deepEqual(allowed({ choice: "session" }, plan, all), { choice: "deny" });
  assert.deepEqual(allowed({ choice: "deny" }, plan, some), { choice: "deny" });
  assert.deepEqual(reviewed({ accepted: [...all] }, some), { accepted: ["5"] });
});
