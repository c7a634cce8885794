import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangedText, type Typed } from "../../src/editor/changed-text.ts";

const BEFORE = "one\ntwo\nthree\nfour\nfive\n";
const NOW = "one\nTWO\nthree\nfive\nsix\n";
const PARTS = ["1-2 two", "3-3 four", "4-5 "];

/** A text with its parts, and what is typed into it. */
class Editor {
  readonly text: ChangedText;
  now: string;

  constructor(before = BEFORE, now = NOW) {
    this.text = new ChangedText(before);
    this.now = now;
    this.text.becomes(now);
  }

  get parts(): string[] {
    return this.text.parts.map(({ start, end, before }) => `${start}-${end} ${before.join("/")}`);
  }

  /** Each of them is about the text before all. */
  type(...changes: readonly Typed[]): void {
    const place = ({ range: { start } }: Typed) => start.line * 100 + start.character;
    for (const change of changes.toSorted((one, other) => place(other) - place(one))) {
      this.now = applied(this.now, change);
    }
    this.text.becomes(this.now, changes);
  }

  undo(at: number): void {
    const part = this.text.parts[at];
    assert.ok(part);
    this.now = applied(this.now, this.text.undoing(part));
    this.text.becomes(this.now);
  }
}

function applied(text: string, { range, text: fresh }: Typed): string {
  const offset = ({ line, character }: Typed["range"]["start"]) =>
    text.split("\n").slice(0, line).join("\n").length + (line > 0 ? 1 : 0) + character;
  return text.slice(0, offset(range.start)) + fresh + text.slice(offset(range.end));
}

function typed(from: readonly [number, number], to: readonly [number, number], text: string) {
  const place = ([line, character]: readonly [number, number]) => ({ line, character });
  return { range: { start: place(from), end: place(to) }, text };
}

test("lines that changed, went and came are the parts; before the text is known there are none", () => {
  const editor = new Editor();
  assert.deepEqual(editor.parts, PARTS);
  const unknown = new ChangedText(BEFORE);
  assert.deepEqual([unknown.parts, unknown.waits], [[], true]);
  unknown.becomes(BEFORE.replaceAll("\n", "\r\n"));
  assert.equal(unknown.waits, false);
});

for (const [name, change, parts] of [
  ["a line above", typed([0, 0], [0, 0], "zero\n"), ["2-3 two", "4-4 four", "5-6 "]],
  ["a line end above", typed([0, 3], [0, 3], "\n"), ["2-3 two", "4-4 four", "5-6 "]],
  ["a line just above a part", typed([1, 0], [1, 0], "x\n"), ["2-3 two", "4-4 four", "5-6 "]],
  ["words of another line", typed([2, 0], [2, 5], "3"), PARTS],
  ["a line at a deletion", typed([3, 0], [3, 0], "x\n"), ["1-2 two", "3-3 four", "5-6 "]],
  ["a line that goes", typed([0, 0], [1, 0], ""), ["0-1 two", "2-2 four", "3-4 "]],
  ["words within a part", typed([1, 3], [1, 3], "!"), PARTS],
  ["lines below a part", typed([1, 3], [1, 3], "\nx\n"), ["1-2 two", "5-5 four", "6-7 "]],
  ["a line within a part", typed([1, 1], [1, 1], "\n"), ["1-3 two", "4-4 four", "5-6 "]],
] as const) {
  test(`parts follow what is typed: ${name}`, () => {
    const editor = new Editor();
    editor.type(change);
    assert.deepEqual(editor.parts.map(placeOf), parts.map(placeOf));
  });
}

/** A deletion may be told above or below what was typed at it. */
const placeOf = (part: string) => (part.endsWith("four") ? "four" : part);

test("what is typed elsewhere stays when all parts are undone", () => {
  const editor = new Editor();
  editor.type(typed([0, 3], [0, 3], " 1"), typed([2, 0], [2, 0], "new\n"));
  for (const _ of PARTS) {
    editor.undo(0);
  }
  assert.equal(editor.now, "one 1\ntwo\nnew\nthree\nfour\nfive\n");
  assert.equal(editor.text.waits, false);
});

test("what is typed at several places of a line, in lines that follow each other, too, is no part", () => {
  const changes = [
    typed([0, 0], [0, 1], "O"),
    typed([0, 2], [0, 3], "E"),
    typed([2, 0], [2, 1], "T"),
    typed([2, 2], [3, 2], "R\nFi"),
    typed([3, 3], [3, 4], "E"),
  ];
  for (const order of [changes, changes.toReversed()]) {
    const editor = new Editor("one\ntwo\nthree\nfive\n", "one\nTWO\nthree\nfive\n");
    editor.type(...order);
    assert.deepEqual(editor.parts, ["1-2 two"]);
    editor.undo(0);
    assert.equal(editor.now, "OnE\ntwo\nThR\nFivE\n");
  }
});

test("a part that the user edits too is undone with that; one that is typed back is gone", () => {
  const editor = new Editor();
  editor.type(typed([0, 3], [1, 3], "\nTwo\nand more"));
  assert.equal(editor.parts[0], "1-3 two");
  editor.undo(0);
  assert.equal(editor.now, NOW.replace("TWO", "two"));
  editor.type(typed([4, 0], [5, 0], ""));
  assert.deepEqual(editor.parts, ["3-3 four"]);
});

test("a deletion that the editor takes back, in either form, is no part any more", () => {
  for (const change of [typed([3, 0], [3, 0], "four\n"), typed([2, 5], [2, 5], "\nfour")]) {
    const editor = new Editor();
    editor.type(change);
    assert.deepEqual(editor.parts, ["1-2 two", "5-6 "]);
  }
});

test("nothing waits where all is as before, wherever equal lines went", () => {
  const editor = new Editor("a\nb\na\nb\n", "a\nb\n");
  editor.type(typed([0, 0], [0, 0], "a\nb\n"));
  assert.deepEqual([editor.parts, editor.text.before], [[], "a\nb\na\nb\n"]);
});

test("all is kept, and what comes later is a part", () => {
  const editor = new Editor();
  editor.text.keepAll();
  assert.deepEqual([editor.parts, editor.text.before], [[], NOW]);
  editor.text.becomes(NOW.replace("three", "3"));
  assert.deepEqual(editor.parts, ["2-3 three"]);
});

test("a part that is kept is none any more, and stays when the others go", () => {
  const editor = new Editor();
  const [first] = editor.text.parts;
  assert.ok(first);
  editor.text.keep(first);
  assert.deepEqual(editor.parts, PARTS.slice(1));
  editor.undo(1);
  editor.undo(0);
  assert.equal(editor.now, BEFORE.replace("two", "TWO"));
});

for (const [before, now] of [
  ["a\nb", "a\nb\nc"],
  ["a\nb", "a"],
  ["", "a\n"],
  ["a\n", ""],
  ["a", "b"],
  ["a\nb\n", "a\nB"],
] as const) {
  test(`at the end of a text: ${JSON.stringify([before, now])}`, () => {
    const editor = new Editor(before, now);
    assert.equal(editor.parts.length, 1);
    editor.undo(0);
    assert.equal(editor.now, before);
  });
}

test("a run's own changes and a later run's are parts of the same text", () => {
  const editor = new Editor();
  editor.now = editor.now.replace("three", "THREE");
  editor.text.becomes(editor.now);
  assert.deepEqual(editor.parts, ["1-3 two/three/four", "4-5 "]);
});

test("the part at a line, and those beside it", () => {
  const { text } = new Editor();
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((line) => text.at(line)?.start),
    [1, 1, 1, 3, 4],
  );
  assert.deepEqual(
    [0, 1, 3, 4].map((line) => text.beside(line, true)?.start),
    [1, 3, 4, undefined],
  );
  assert.deepEqual(
    [1, 2, 4, 9].map((line) => text.beside(line, false)?.start),
    [undefined, 1, 3, 4],
  );
});

test("a part is found again where it moved to, and not once it is another one", () => {
  const editor = new Editor();
  const [first, second] = editor.text.parts;
  assert.ok(first && second);
  editor.type(typed([0, 0], [0, 0], "a\nb\nc\n"));
  assert.deepEqual(
    [first, second].map((part) => editor.text.same(part)?.start),
    [4, 6],
  );
  editor.type(typed([4, 1], [4, 1], "\n"));
  assert.equal(editor.text.same(first), undefined);
  assert.equal(editor.text.same(second)?.start, 7);
});
