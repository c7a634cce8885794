import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Settled } from "../../src/editor/settled.ts";

test("a state is told once it has settled, and only if it is another one", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told: object[] = [];
  let line = 1;
  const settled = new Settled(
    () => ({ line }),
    (state) => told.push(state),
    200,
  );
  for (line = 2; line < 5; line += 1) {
    settled.changed();
    mock.timers.tick(199);
  }
  assert.deepEqual(told, []);
  mock.timers.tick(1);
  assert.deepEqual(told, [{ line: 5 }]);
  settled.changed();
  mock.timers.tick(200);
  assert.equal(told.length, 1);
  settled.again();
  assert.deepEqual(told, [{ line: 5 }, { line: 5 }]);
  line = 6;
  settled.changed();
  settled.dispose();
  mock.timers.tick(200);
  assert.equal(told.length, 2);
  mock.timers.reset();
});
