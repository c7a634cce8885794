import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, findInterpreter } from "../../src/server/interpreter.ts";

const VERSIONS: Record<string, readonly [number, number]> = {
  old: [3, 9],
  good: [3, 12],
  newer: [3, 14],
};
const probe = async (path: string) => VERSIONS[path];
const from = (...paths: string[]): Candidate[] => paths.map((path) => ({ path, source: "PATH" }));

test("the first that is new enough is taken", async () => {
  const found = await findInterpreter("", from("none", "old", "good", "newer"), probe);
  assert.deepEqual(found, { path: "good", version: [3, 12], source: "PATH" });
});

test("the one that the user names is taken before all others", async () => {
  const found = await findInterpreter("newer", from("good"), probe);
  assert.equal(found.path, "newer");
});

for (const [setting, candidates, says] of [
  ["", from("none"), /needs Python 3\.11 or newer, and none was found\. Install it/],
  ["", from("old"), /none was found \(old is 3\.9\)/],
  ["old", from("good"), /old, named in the setting glossator\.python, is Python 3\.9/],
  ["none", from("good"), /is not a Python that can be run/],
] as const) {
  test(`what is wrong is said, with a next step: ${says}`, async () => {
    await assert.rejects(findInterpreter(setting, candidates, probe), {
      name: "UserError",
      message: says,
    });
  });
}
