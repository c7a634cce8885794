import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { replaced, tokenAt } from "../../panel/input/token.ts";
import { oneLine, placeOf } from "../../panel/state/calls.ts";
import { diffOf, shiftsOf, sizeOf } from "../../panel/state/diff.ts";
import { ago, count, duration, price } from "../../panel/state/figures.ts";
import { ICONS } from "../../panel/ui/icons.ts";
import type { Hunk } from "../../src/wire.ts";

function hunk(before: string, after: string, firstLine = 10, id = "h"): Hunk {
  return { id, kind: "edit", path: "a.py", firstLine, before, after };
}

test("a hunk as lines with the numbers of the text they belong to", () => {
  const lines = diffOf(hunk("a\nb\nc\n", "a\nB\nB2\nc\n"), 5);
  assert.deepEqual(
    lines.map(({ kind, number, text }) => `${kind} ${number} ${text}`),
    ["same 15 a", "gone 11 b", "new 16 B", "new 17 B2", "same 18 c"],
  );
});

test("a new file, a deleted one, and Windows line ends", () => {
  assert.deepEqual(sizeOf(hunk("", "a\nb\n")), { added: 2, removed: 0 });
  assert.deepEqual(sizeOf(hunk("a\r\nb\r\n", "")), { added: 0, removed: 2 });
  assert.deepEqual(sizeOf(hunk("a\r\n", "a\n")), { added: 0, removed: 0 });
});

test("later hunks of a file stand lower by what earlier ones add", () => {
  const shifts = shiftsOf([hunk("a\n", "a\nb\nc\n", 1, "1"), hunk("x\n", "y\n", 9, "2")]);
  assert.deepEqual(
    [...shifts],
    [
      ["1", 0],
      ["2", 2],
    ],
  );
});

test("long hunks are compared without taking long", () => {
  const text = Array.from({ length: 5000 }, (_, at) => `${at}\n`).join("");
  assert.deepEqual(sizeOf(hunk(text, `${text}x\n`)), { added: 1, removed: 0 });
  const other = text.replaceAll("\n", "!\n");
  assert.deepEqual(sizeOf(hunk(text, other)), { added: 5000, removed: 5000 });
});

test("arguments in one line, the one that tells most first", () => {
  assert.equal(oneLine({ limit: 5, path: "a.py", old: null }), "a.py · limit: 5");
  assert.equal(oneLine({ command: "a\n  b", background: false }), "a b");
  assert.equal(oneLine({ path: "a.py", offset: 3, limit: 2 }), "a.py:3-4");
  assert.equal(oneLine({ path: "a.py", offset: 3 }), "a.py:3-");
  assert.equal(oneLine({}), "");
  assert.deepEqual(placeOf({ path: "a.py", offset: 7 }), { path: "a.py", line: 7 });
  assert.equal(placeOf({ pattern: "x" }), null);
});

test("figures as people read them", () => {
  assert.deepEqual([999, 1000, 12_345, 123_456, 1_234_567].map(count), [
    "999",
    "1k",
    "12.3k",
    "123k",
    "1.2M",
  ]);
  assert.deepEqual([0.2, 999.6, 59_940, 59_960, 125_000].map(duration), [
    "1 ms",
    "1 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 5 s",
  ]);
  assert.deepEqual([0, 0.0001, 0.0123, 1.4].map(price), [
    "$0.000",
    "under $0.001",
    "$0.012",
    "$1.40",
  ]);
  const now = Date.parse("2026-01-10T00:00:00Z");
  assert.equal(ago("2026-01-09T22:00:00Z", now), "2 h ago");
  assert.equal(ago("2025-12-09T22:00:00Z", now), "2025-12-09");
});

test("what is completed at the cursor", () => {
  const at = (text: string) => tokenAt(text, text.length)?.text ?? null;
  assert.deepEqual(
    ["see @src/a", "@", "/comp", "a /comp", "me@example", "@a b", '@"with a spa', "/a b"].map(at),
    ["@src/a", "@", "/comp", null, null, null, '@"with a spa', null],
  );
  assert.equal(at("/ops:d"), "/ops:d", "a command that a file describes");
});

test("a completion takes the token's place", () => {
  const text = "see @sr and";
  const token = tokenAt(text, 7);
  assert.ok(token);
  assert.deepEqual(replaced(text, token, "@src/", true), { text: "see @src/ and", cursor: 9 });
  assert.deepEqual(replaced(text, token, "src/a.py", false), {
    text: "see @src/a.py and",
    cursor: 14,
  });
  const end = tokenAt("@sr", 3);
  assert.ok(end);
  assert.deepEqual(replaced("@sr", end, "@src/a.py", false), { text: "@src/a.py ", cursor: 10 });
});

test("icons are the font's own characters", () => {
  const list = readFileSync("node_modules/@vscode/codicons/dist/codicon.csv", "utf-8");
  for (const [name, character] of Object.entries(ICONS)) {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    assert.match(list, new RegExp(`^${name},[^,]*,${code}$`, "m"), name);
  }
});

test("every variable of a theme that the styles use is one of VS Code's", () => {
  const used = new Set(readFileSync("dist/panel.css", "utf-8").match(/--vscode-[\w-]+/g));
  const themes = ["dark", "dark-modern", "light", "contrast", "contrast-light"].map((name) =>
    readFileSync(`test/panel/harness/themes/${name}.css`, "utf-8"),
  );
  const unknown = [...used].filter((name) => !themes.some((theme) => theme.includes(`${name}:`)));
  assert.deepEqual(unknown, []);
});
