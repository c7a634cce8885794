import assert from "node:assert/strict";
import { test } from "node:test";
import { standing, undone } from "../../src/commands/undone.ts";
import type { UndoAnswer } from "../../src/wire.ts";

const NOTHING: UndoAnswer = {
  turn: null,
  restored: [],
  removed: [],
  conflicts: [],
  failed: [],
  incomplete: false,
  jobs: [],
};

test("what an undo brought back, and what it removed, is told", () => {
  assert.deepEqual(undone({ ...NOTHING, turn: "t", restored: ["a.py"], removed: ["new.py"] }), {
    message: "Brought back: a.py. Removed again: new.py.",
    bad: false,
  });
  assert.equal(undone({ ...NOTHING, turn: "t", removed: ["b"] }).message, "Removed again: b.");
  assert.equal(undone(NOTHING).message, "Nothing changed.");
});

test("what was not brought back, or is not known, is told as a problem", () => {
  const conflicts = [{ path: "a.py", reason: "it was changed" }];
  assert.deepEqual(undone({ ...NOTHING, conflicts, restored: ["b"] }), {
    message: "Brought back: b. Not brought back: a.py: it was changed.",
    bad: true,
  });
  assert.ok(undone({ ...NOTHING, turn: "t", removed: ["b"], jobs: ["make"] }).bad);
});

test("a turn stands unless it is undone by one that stands", () => {
  const turn = (name: string, ...undoes: string[]) => ({
    turn: name,
    question: undoes.length > 0 ? "" : "?",
    paths: [],
    undoes,
  });
  const names = (...turns: ReturnType<typeof turn>[]) => standing(turns).map((each) => each.turn);
  assert.deepEqual(names(turn("a"), turn("b")), ["a", "b"]);
  assert.deepEqual(names(turn("a"), turn("b"), turn("u", "b")), ["a", "u"]);
  assert.deepEqual(names(turn("a"), turn("u", "a"), turn("v", "u")), ["a", "v"]);
});
