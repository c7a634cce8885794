import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Blocks, NO_BLOCKS, toBlocks } from "../../panel/markdown/blocks.ts";
import {
  type Mark,
  markAt,
  marksIn,
  rewritten,
  withoutUnfinished,
} from "../../panel/state/cites.ts";
import { nameOf, sourcesIn, sourcesOfText, stateOf } from "../../panel/state/sources.ts";

const TEXT = `# Title

A paragraph with **bold**, \`code\` and [a link](https://example.com) [cite: doc, a.py, L1-L2].
It goes on.

1. one

2. two
   - nested

3. three

| a | b |
|---|--:|
| 1 | 2 |

Setext
------

> quoted

\`\`\`python
def f():
    return "[cite: doc, not.py, L1]"
\`\`\`

- [x] done
- [ ] to do

    indented

***

Last line [cite: doc, app/[id]/[[...rest]]/page.tsx, 10-20].`;

function html(blocks: Blocks): string {
  return blocks.blocks.map((block) => block.html).join("");
}

function whole(text: string): string {
  return html(toBlocks(text, NO_BLOCKS));
}

test("a text that grows letter by letter is drawn as if it had come whole", () => {
  let blocks = NO_BLOCKS;
  for (let length = 1; length <= TEXT.length; length += 1) {
    blocks = toBlocks(TEXT.slice(0, length), blocks);
    assert.equal(html(blocks), whole(TEXT.slice(0, length)), TEXT.slice(0, length));
  }
  assert.equal(blocks.blocks.map(({ source }) => source).join(""), TEXT);
});

test("while a text grows, only its last blocks are made anew", () => {
  const before = toBlocks(TEXT.slice(0, 400), NO_BLOCKS);
  const after = toBlocks(TEXT, before);
  const kept = before.blocks.length - 2;
  assert.ok(kept > 3);
  for (let at = 0; at < kept; at += 1) {
    assert.equal(after.blocks[at], before.blocks[at]);
  }
});

for (const [name, text, expected] of [
  ["HTML is text", "<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>\n"],
  [
    "pictures are links",
    "![cat](https://example.com/c.png)",
    '<p><a href="https://example.com/c.png">cat</a></p>\n',
  ],
  [
    "pictures from nowhere are words",
    "![cat](data:image/png;base64,x)",
    "<p>![cat](data:image/png;base64,x)</p>\n",
  ],
  ["scripts are no links", "[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"],
  [
    "commands are no links",
    "[x](command:workbench.action.quit)",
    "<p>[x](command:workbench.action.quit)</p>\n",
  ],
  ["nor is mail", "<me@example.com>", "<p>&lt;me@example.com&gt;</p>\n"],
  ["nor what only has a host", "[x](//example.com/a)", "<p>[x](//example.com/a)</p>\n"],
  [
    "paths are buttons",
    "[a](src/a%20b.py#L3-L9)",
    '<p><button class="path" data-path="src/a b.py" data-line="3">a</button></p>\n',
  ],
  [
    "addresses are links",
    "see https://example.com/a.",
    '<p>see <a href="https://example.com/a">https://example.com/a</a>.</p>\n',
  ],
  [
    "cells are aligned by class",
    "|a|\n|-:|\n|1|",
    '<table>\n<thead>\n<tr>\n<th class="right">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td class="right">1</td>\n</tr>\n</tbody>\n</table>\n',
  ],
] as const) {
  test(name, () => assert.equal(whole(text), expected));
}

test("a citation keeps the punctuation after it", () => {
  assert.match(
    whole("So it is [cite: doc, a.py, 1-2]."),
    /<span class="cited"><button .*<\/button>\.<\/span>/,
  );
});

test("citations are numbered in their order, each once, and not in code", () => {
  const more = "again [cite: doc, a.py, 1-2] [cite: fact, f1, null] [cite: task, 3]";
  const texts = [TEXT, more].map((text, reply) => ({ text, reply, from: 0 }));
  const sources = sourcesIn(texts, []);
  assert.deepEqual(
    [...sources.values()].map(({ number, mark }) => [number, mark.key]),
    [
      [1, "doc a.py 1-2"],
      [2, "doc app/[id]/[[...rest]]/page.tsx 10-20"],
      [3, "fact f1 0-0"],
      [4, "task 3 0-0"],
    ],
  );
});

/** What the server's own parser is tested with. */
const TABLE: {
  readonly files: readonly string[];
  readonly texts: readonly (readonly [string, readonly (readonly [string, number, number])[]])[];
} = JSON.parse(readFileSync("../tests/grounding/citations.json", "utf-8"));

function placed({ kind, target, firstLine, lastLine }: Mark): readonly [string, number, number] {
  return [kind === "doc" ? target : `${kind} ${target}`, firstLine, lastLine];
}

for (const [text, expected] of TABLE.texts) {
  test(`citations as the server reads them: ${text}`, () => {
    const marks = marksIn(text).flatMap((written) =>
      written.marks
        .filter(
          ({ kind, target }) =>
            !written.isMention || kind !== "doc" || TABLE.files.includes(target),
        )
        .map((mark) => placed(mark)),
    );
    const once = (all: typeof expected) => [
      ...new Map(all.map((each) => [each.join(), each])).values(),
    ];
    assert.deepEqual(once(marks), once(expected));
  });
}

test("a mention of lines is followed by its source, whatever else the text holds", () => {
  const cite = (path: string, lines: string) =>
    `<span class="cited"><button class="cite" data-cite="doc ${path} ${lines}"></button></span>`;
  assert.equal(
    whole("See `a.py:1-2`, (app.py:3) and [x](a.py#L4): `py a.py:5`."),
    `<p>See <code>a.py:1-2</code>${cite("a.py", "1-2")}, (app.py:3${cite("app.py", "3-3")}) and ` +
      '<button class="path" data-path="a.py" data-line="4">x</button>: <code>py a.py:5</code>.</p>\n',
  );
});

test("of a link to a mark the words stay, and the mark follows them", () => {
  assert.match(
    whole("[It `adds`]([cite: doc, a.py, L3]), [x](b.py) [y]([cite: z])."),
    /^<p>It <code>adds<\/code><span class="cited"><button class="cite" data-cite="doc a\.py 3-3"><\/button>,<\/span> <button class="path"/,
  );
  assert.equal(
    rewritten("[It adds]([cite: doc, a.py, L3]).", ({ key }) => `<${key}>`),
    "It adds <doc a.py 3-3>.",
  );
});

test("a mark of several places shows each", () => {
  const shown = whole("So [cite: doc, a.py, L1-L2, L5; b.py, 3].");
  assert.deepEqual(
    [...shown.matchAll(/data-cite="(.*?)"/g)].map(([, key]) => key),
    ["doc a.py 1-2", "doc a.py 5-5", "doc b.py 3-3"],
  );
  assert.match(shown, /<\/button>\.<\/span><\/p>/);
});

test("a run of a command is called by its command, once it was checked", () => {
  const text = "They pass [cite: run, 2], see `gone.py:3` and `a.py:1`.";
  const run = { target: "run 2: make test", uri: null, firstLine: null, lastLine: null };
  const lines = { target: "a.py", uri: "file:///a.py", firstLine: 1, lastLine: 1 };
  const checked = [run, lines].map((each) => ({
    ...each,
    status: "read" as const,
    reason: "",
    basis: null,
    at: null,
    movedTo: null,
    movedUntil: null,
    cell: null,
  }));
  assert.deepEqual(
    [...sourcesOfText(text, checked).values()].map((source) => [
      nameOf(source),
      stateOf(source, false),
    ]),
    [
      ["run 2: make test", "read"],
      ["a.py:1", "read"],
    ],
  );
});

test("what is no citation", () => {
  for (const text of [
    "[cite: doc, a.py]",
    "[cite: doc, , L1]",
    "[cite: fact, f 1]",
    "[cite doc, a, 1]",
  ]) {
    assert.equal(markAt(text, 0), null, text);
  }
});

test("a citation that has only begun is not shown", () => {
  const text = "So it is [cite: doc, a.py, L1-L2]";
  for (let length = 9; length < text.length; length += 1) {
    assert.match(withoutUnfinished(text.slice(0, length)), /^So it is ?$/);
  }
  assert.equal(withoutUnfinished(text), text);
  assert.equal(withoutUnfinished("a[0"), "a[0");
});
