import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangingTurns } from "../../src/editor/changing-turns.ts";
import type { Event } from "../../src/wire.ts";

const PLAN = { id: "p", label: "Edit a.py", hunks: [{ path: "/w/a.py" }, { path: "/w/a.py" }] };
const STARTED = { kind: "run.started", sessionId: "s" };
const PROPOSED = { kind: "edit.proposed", plan: PLAN };
const APPLIED = { kind: "edit.settled", planId: "p", applied: true };
const REFUSED = { ...APPLIED, applied: false };
const FILES = {
  kind: "files.changed",
  files: [
    { uri: "file:///w/a%20b.py", change: "changed" },
    { uri: "file:///w/gone.py", change: "deleted" },
  ],
};
const OVER = { kind: "run.finished" };

/** What was told, by what a run of the session `s` tells. */
function told(...events: readonly object[]): string[] {
  const all: string[] = [];
  const turns = new ChangingTurns(({ sessionId, turn, path }, isReviewed) =>
    all.push(`${sessionId} ${turn} ${path}${isReviewed ? " reviewed" : ""}`),
  );
  for (const event of events) {
    if ("review" in event) {
      turns.review("session" in event ? String(event.session) : "s", PLAN.hunks);
    } else {
      turns.told({ runId: "r", ...event } as unknown as Event);
    }
  }
  return all;
}

for (const [name, events, expected] of [
  ["an edit, once it is made", [STARTED, PROPOSED, APPLIED], ["s r /w/a.py"]],
  ["not one that was refused", [STARTED, PROPOSED, REFUSED], []],
  ["files, but not those that went", [STARTED, FILES], ["s r /w/a b.py"]],
  [
    "whether the next edit was decided about",
    [STARTED, PROPOSED, { review: true }, APPLIED, PROPOSED, APPLIED],
    ["s r /w/a.py reviewed", "s r /w/a.py"],
  ],
  [
    "a decision that came to nothing is forgotten",
    [STARTED, { review: true }, OVER, STARTED, PROPOSED, APPLIED],
    ["s r /w/a.py"],
  ],
  [
    "a decision that no run asked for counts for none",
    [{ review: true, session: "" }, STARTED, PROPOSED, APPLIED],
    ["s r /w/a.py"],
  ],
  ["nothing of runs that are over", [STARTED, OVER, FILES], []],
] as const) {
  test(`what runs change: ${name}`, () => {
    assert.deepEqual(told(...events), expected);
  });
}

test("a run is on from its start to its end", () => {
  const turns = new ChangingTurns(() => undefined);
  const isOn = [STARTED, PROPOSED, OVER].map((event) => {
    turns.told({ runId: "r", ...event } as unknown as Event);
    return turns.isOn("r");
  });
  assert.deepEqual(isOn, [true, true, false]);
});
