import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancelling } from "../../src/commands/cancelling.ts";

test("a run that is cancelled too early is cancelled again once it has begun", async () => {
  let stops = 0;
  const wanted = new Cancelling(async () => {
    stops += 1;
  });
  wanted.cancel();
  wanted.begun();
  await wanted.settled();
  assert.equal(stops, 2);
  const unwanted = new Cancelling(() => assert.fail("nobody cancelled it"));
  unwanted.begun();
  await unwanted.settled();
});

test("what goes wrong while it is cancelled is told", async () => {
  const cancelling = new Cancelling(() => Promise.reject(new Error("The server is gone.")));
  cancelling.cancel();
  await assert.rejects(cancelling.settled(), /gone/);
});
