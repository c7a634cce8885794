import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/server/backoff.ts";

test("the wait doubles up to a minute, and begins anew after a long life", () => {
  const backoff = new Backoff();
  const waits = Array.from({ length: 9 }, () => backoff.next(10));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  assert.equal(backoff.next(61_000), 500);
});
