// Which lines of a plan its steps are.

import assert from "node:assert/strict";
import test from "node:test";
import { stepLines } from "../../src/plan-steps.ts";

const PLAN = `## Plan

1. Add the tax in \`net\`. [cite: doc, a.py, L1-L2]
2. **Check** that it [adds](src/a.py), and that all of the other prices are as they
   were before.
   - below another step
- [ ] Say it. (after 1, 2)`;

test("steps are found by their words", () => {
  const found = stepLines(PLAN, [
    { text: "Add the tax in net.", state: "done" },
    {
      text: "Check that it adds, and that all of the other prices are as they were before.",
      state: "active",
    },
    { text: "Say it.", state: "pending" },
    { text: "What nobody planned.", state: "failed" },
  ]);
  assert.deepEqual(
    [...found].sort(([first], [second]) => first - second),
    [
      [2, "done"],
      [3, "active"],
      [6, "pending"],
    ],
  );
});

test("two steps with the same words have a line each, and a heading is none", () => {
  const twice = [
    { text: "Plan", state: "done" },
    { text: "Test.", state: "done" },
    { text: "Test.", state: "active" },
  ] as const;
  assert.deepEqual(
    [...stepLines("## Plan\n1. Test.\n2. Test.", twice)],
    [
      [1, "done"],
      [2, "active"],
    ],
  );
});

test("a short step is no other one that begins like it, and places do not count", () => {
  const steps = [
    { text: "Test", state: "done" },
    { text: "Read (a.py:3-7) again", state: "active" },
  ] as const;
  const plan = "1. Test the parser\n2. Read (`a.py:3-7`) again\n3. Test";
  assert.deepEqual(
    [...stepLines(plan, steps)],
    [
      [2, "done"],
      [1, "active"],
    ],
  );
});
