import assert from "node:assert/strict";
import { test } from "node:test";
import { toolName } from "../../src/tools.ts";

test("a tool is called as the user knows it, one that is unknown as the model does", () => {
  const names = ["Bash", "constructor", "toString", "__proto__"].map(toolName);
  assert.deepEqual(names, ["Run", "constructor", "toString", "__proto__"]);
});
