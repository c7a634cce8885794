import assert from "node:assert/strict";
import { test } from "node:test";
import { filesUndone } from "../../src/undone-files.ts";
import type { Turn } from "../../src/wire.ts";

const turn = (name: string, undoes: string[] = [], undoneBy: string | null = null): Turn => ({
  turn: name,
  question: "",
  paths: undoes.length > 0 ? ["a.py"] : ["a.py", "b.py"],
  undoes,
  undoneBy,
});

test("a file of a turn is undone as long as its undo stands, and the turn is not undone whole", () => {
  const undone = [{ runId: "run", path: "a.py", by: "undo" }];
  assert.deepEqual(filesUndone([turn("run"), turn("undo", ["run"])]), undone);
  assert.deepEqual(filesUndone([turn("run"), turn("undo", ["run"], "redo")]), []);
  assert.deepEqual(filesUndone([turn("run", [], "undo"), turn("undo", ["run"])]), []);
});
