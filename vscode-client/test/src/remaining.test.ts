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

test("of two turns in a file it is known once nothing is left, and of a file that is gone nothing", () => {
  const [text, left] = [changed(), new RemainingChanges([])];
  left.follow({ turns: [ONE, TWO], text });
  left.follow({ turns: [TWO], kept: [ONE], text });
  left.follow({ turns: [ONE], text: new ChangedText(BEFORE) }); // not read yet
  assert.deepEqual(told(left), []);
  text.becomes(BEFORE);
  left.follow({ turns: [ONE, TWO], text });
  assert.deepEqual(told(left), ["r1 a.py +0 −0", "r2 a.py +0 −0"]);
  text.becomes("ONE\ntwo\nTHREE\nfour\n"); // `git stash pop`
  left.follow({ turns: [], whose: [ONE, TWO], text });
  assert.deepEqual(told(left), []);
  left.follow({ turns: [ONE], text });
  left.unknown({ whose: [ONE] });
  assert.deepEqual(told(left), []);
});

test("a change that comes back is counted again, though nothing of it waited meanwhile", () => {
  const [text, left] = [changed(), new RemainingChanges([])];
  const typed = (line: number, from: string, to: string) => [
    { range: { start: { line, character: 0 }, end: { line, character: from.length } }, text: to },
  ];
  const states = [
    ["ONE\ntwo\nthree\n", []],
    [BEFORE, []], // `git stash`
    ["ONE\ntwo\nTHREE\nfour\n", []],
    ["ONE\ntwo\nthree\nfour\n", typed(2, "THREE", "three")], // an undo of a part
    ["ONE\ntwo\nTHREE\nfour\n", typed(2, "three", "THREE")], // and of that
  ] as const;
  const counts = states.map(([now, by]) => {
    text.becomes(now, by);
    left.follow({ turns: [], whose: [ONE], text });
    return told(left).join().replace("r1 a.py ", "");
  });
  assert.deepEqual(counts, ["+1 −1", "+0 −0", "+3 −2", "+2 −1", "+3 −2"]);
});

test("an undo of an undo brings the change back, with what waited of it", () => {
  const text = new ChangedText("one\ntwo\n");
  text.becomes("one\nTWO\n");
  const [part] = text.parts;
  assert.ok(part);
  const undoing = text.undoing(part);
  text.becomes("one\ntwo\n", [undoing]);
  assert.ok(text.isAsBefore);
  text.becomes("one\nTWO\n", [{ ...undoing, text: "TWO\n" }]);
  assert.deepEqual(text.parts, [part]);
  assert.deepEqual(text.size, { added: 1, removed: 1 });
});

test("what is behind the last line end is no line", () => {
  const size = (before: string, now: string) => {
    const text = new ChangedText(before);
    text.becomes(now);
    return [text.size?.added, text.size?.removed];
  };
  assert.deepEqual(size("", "a\nb\nc"), [3, 0]);
  assert.deepEqual(size("", "a\nb\nc\n"), [3, 0]);
  assert.deepEqual(size("a\n", ""), [0, 1]);
  assert.deepEqual(size("a\nb", "a\nb\nc\n"), [1, 0]);
  assert.deepEqual(size("a\n", "a\n\n"), [1, 0]);
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
