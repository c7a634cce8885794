import assert from "node:assert/strict";
import { test } from "node:test";
import { undone } from "../../src/commands/undone.ts";
import type { UndoAnswer } from "../../src/wire.ts";

const NOTHING: UndoAnswer = {
  turn: null,
  restored: [],
  removed: [],
  conflicts: [],
  failed: [],
  incomplete: false,
  jobs: [],
  undid: [],
  redid: [],
  undone: [],
  unsaved: [],
};

test("what an undo brought back, and what it removed, is told", () => {
  assert.deepEqual(undone({ ...NOTHING, turn: "t", restored: ["a.py"], removed: ["new.py"] }), {
    message: "Restored: a.py. Removed: new.py.",
    bad: false,
  });
  assert.equal(undone({ ...NOTHING, turn: "t", removed: ["b"] }).message, "Removed: b.");
  assert.equal(undone(NOTHING).message, "Nothing changed.");
  assert.equal(
    undone({ ...NOTHING, turn: "t", restored: ["a", "b"], unsaved: ["b"] }).message,
    "Restored: a, b. Not saved in the editor: b. Save what you want to keep.",
  );
});

test("what was not brought back, or is not known, is told as a problem", () => {
  const conflicts = [{ path: "a.py", reason: "was changed" }];
  assert.deepEqual(undone({ ...NOTHING, conflicts, restored: ["b"] }), {
    message: "Restored: b. Not restored: a.py: it was changed.",
    bad: true,
  });
  assert.ok(undone({ ...NOTHING, turn: "t", removed: ["b"], jobs: ["make"] }).bad);
});
