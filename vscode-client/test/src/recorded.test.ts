import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST, plain, Recorded } from "../../src/ports/recorded.ts";

for (const [name, raw, text] of [
  ["colours", "\u001b[1;31mred\u001b[0m\r\n", "red\n"],
  ["titles and marks", "\u001b]633;C\u0007out\u001b]0;title\u001b\\ put", "out put"],
  ["a progress bar", "10 %\r50 %\rdone\r\nnext\n", "done\nnext\n"],
  ["a full-screen program", "a\u001b[?1049hvim\u001b[?1049lb", "ab"],
  ["one that still runs", "a\u001b[?1049hvim", "a"],
  ["a character set", "\u001b(Bplain\u0007", "plain"],
] as const) {
  test(`plain: ${name}`, () => assert.equal(plain(raw), text));
}

test("a command is told with its output and how it ended", () => {
  const recorded = new Recorded("npm test");
  assert.equal(recorded.text, "$ npm test\n[still running]");
  recorded.add("\u001b[3");
  recorded.add("1mfailed\u001b[0m\n");
  recorded.end(1);
  assert.equal(recorded.text, "$ npm test\nfailed\n[exit code 1]");
  recorded.end(undefined);
  assert.equal(recorded.text, "$ npm test\nfailed\n[ended]");
});

test("what VS Code did not pass on is no empty output", () => {
  const recorded = new Recorded("true");
  recorded.end(0);
  assert.match(recorded.text, /^\$ true\n\[it ended too fast .*\]\n\[exit code 0\]$/);
  recorded.add("\u001b]633;C\u0007");
  assert.equal(recorded.text, "$ true\n[exit code 0]");
});

test("only the end of much output is kept", () => {
  const recorded = new Recorded("yes");
  for (let at = 0; at < 100; at += 1) {
    recorded.add(`${"y".repeat(MOST / 10)}${at}\n`);
  }
  recorded.end(0);
  assert.ok(recorded.text.length < MOST + 100);
  assert.ok(recorded.text.endsWith("99\n[exit code 0]"));
});
