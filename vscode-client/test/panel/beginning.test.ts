import assert from "node:assert/strict";
import { test } from "node:test";
import { beginningOf } from "../../panel/state/beginning.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `${at}`);
const WORDS = "word ".repeat(100).trim();

const CASES: Readonly<Record<string, readonly [text: string, beginning: string]>> = {
  "a short text": ["one\n\ntwo", "one\n\ntwo"],
  "whole paragraphs": [`one\n\ntwo\n\n${WORDS}`, "one\n\ntwo"],
  "whole lines": [LINES.join("\n"), `${LINES.slice(0, 8).join("\n")}…`],
  "whole words": [WORDS, `${"word ".repeat(56).trim()}…`],
  "one long word": ["x".repeat(300), `${"x".repeat(280)}…`],
};

for (const [name, [text, beginning]] of Object.entries(CASES)) {
  test(`the beginning of ${name}`, () => assert.equal(beginningOf(text), beginning));
}
