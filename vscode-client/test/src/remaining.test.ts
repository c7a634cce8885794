import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangedText } from "../../src/editor/changed-text.ts";
import { type Remaining, RemainingChanges } from "../../src/editor/remaining.ts";

const BEFORE = "one\ntwo\nthree\n";
const ONE = { sessionId: "s", turn: "r1", path: "a.py" };
const TWO = { sessionId: "s", turn: "r2", path: "a.py" };

function changed(now = "ONE\ntwo\nTHREE\nfour\n"): ChangedText {
  const text = new ChangedText(BEFORE);
  text.becomes(now);
  return text;
}

function told({ all }: RemainingChanges): string[] {
  return all.map(({ runId, path, added, removed }) => `${runId} ${path} +${added} −${removed}`);
}

test("what is left is what was kept and what waits, by each step of the user's", () => {
  const [text, left] = [changed(), new RemainingChanges([])];
  const follow = () => left.follow({ turns: [ONE], text });
  follow();
  assert.deepEqual(told(left), ["r1 a.py +3 −2"]);
  text.keep(text.parts[0] as (typeof text.parts)[number]);
  follow();
  assert.deepEqual(told(left), ["r1 a.py +3 −2"]);
  text.becomes("ONE\ntwo\nthree\n"); // `git checkout`, or an undo in the editor
  follow();
  assert.deepEqual(told(left), ["r1 a.py +1 −1"]);
  assert.deepEqual(told(new RemainingChanges(left.all)), told(left));
  const again = new ChangedText(text.before, text.taken); // as it is kept with the window
  again.becomes("ONE\ntwo\nthree\nnew\n");
  left.follow({ turns: [ONE], text: again });
  assert.deepEqual(told(left), ["r1 a.py +2 −1"]);
});

test("of two turns in a file it is known once nothing is left, or the file is gone", () => {
  const [text, left] = [changed(), new RemainingChanges([])];
  left.follow({ turns: [ONE, TWO], text });
  left.follow({ turns: [TWO], kept: [ONE], text });
  left.follow({ turns: [ONE], text: new ChangedText(BEFORE) }); // not read yet
  assert.deepEqual(told(left), []);
  text.becomes(BEFORE);
  left.follow({ turns: [ONE, TWO], text });
  assert.deepEqual(told(left), ["r1 a.py +0 −0", "r2 a.py +0 −0"]);
  const other = new RemainingChanges([]);
  other.gone({ turns: [ONE], text });
  assert.deepEqual(told(other), ["r1 a.py +0 −0"]);
});

test("the server counts itself what it undoes and redoes", () => {
  const kept: Remaining[] = [
    { sessionId: "s", runId: "r1", path: "a.py", added: 0, removed: 0 },
    { sessionId: "s", runId: "r2", path: "b.py", added: 1, removed: 0 },
    { sessionId: "t", runId: "r3", path: "a.py", added: 0, removed: 0 },
  ];
  const left = new RemainingChanges(kept);
  left.leave("s", []);
  assert.deepEqual(told(left), ["r2 b.py +1 −0", "r3 a.py +0 −0"]);
  left.leave("s", ["r2"]);
  left.follow({ turns: [TWO], text: changed() });
  assert.deepEqual(told(left), ["r3 a.py +0 −0"]);
});
