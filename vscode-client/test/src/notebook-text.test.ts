// What is typed in cells is put into the text of the file, and all else of that stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { areWhollySame, cellsIn, difference, withCells } from "../../src/notebook-text.ts";

const output = { name: "stdout", output_type: "stream", text: ['{"a": [1, "}"]}\n'] };
const cells = [
  { cell_type: "markdown", id: "m", metadata: {}, source: ["# Title\n", '"{[" and \\'] },
  {
    ...{ cell_type: "code", execution_count: 1, id: "c", metadata: { tags: ["x"] } },
    ...{ outputs: [output], source: ["a = 1"] },
  },
  { cell_type: "code", execution_count: null, id: "e", metadata: {}, outputs: [], source: [] },
];
const STYLES = [1, 2, "\t", undefined];

function written(all: readonly object[], indent: string | number | undefined): string {
  return `${JSON.stringify({ cells: all, metadata: { a: null }, nbformat: 4, nbformat_minor: 5 }, null, indent)}\n`;
}

function told(all: readonly object[]) {
  const found = cellsIn(written(all, 1));
  assert.ok(found);
  return found.cells.map(({ kind, source, id }) => ({ kind, source, id }));
}

for (const indent of STYLES) {
  const text = written(cells, indent);
  test(`cells of a text that is indented by ${JSON.stringify(indent)}`, () => {
    const found = cellsIn(text);
    assert.deepEqual(
      found?.cells.map(({ kind, source }) => [kind, source]),
      [
        ["markdown", '# Title\n"{[" and \\'],
        ["code", "a = 1"],
        ["code", ""],
      ],
    );
    const [, code] = found?.cells ?? [];
    assert.deepEqual(JSON.parse(text.slice(code?.start, code?.end)), cells[1]);
  });

  const [one, two, three] = cells;
  const fresh = { ...three, id: "n", source: ["b = 2\n", "c"] };
  const CHANGES: readonly (readonly [string, readonly (object | undefined)[]])[] = [
    ["nothing", cells],
    ["a source", [one, { ...two, source: ["a = 1\n", "b"] }, three]],
    ["an empty source", [one, two, { ...three, source: ["x"] }]],
    ["one goes", [one, three]],
    ["one comes", [one, two, fresh, three]],
    ["one comes first", [fresh, one, two, three]],
    ["all go", []],
    ["two change places", [two, one, three]],
    ["another in its place", [one, two, { ...fresh, source: [] }]],
  ];
  for (const [what, wanted] of CHANGES) {
    test(`${what}, in a text that is indented by ${JSON.stringify(indent)}`, () => {
      const all = wanted as readonly object[];
      assert.equal(withCells(text, told(all)), written(all, indent));
    });
  }

  test(`the first cell of a text that is indented by ${JSON.stringify(indent)}`, () => {
    assert.equal(withCells(written([], indent), told([fresh])), written([fresh], indent));
  });
}

test("where lists of cells differ", () => {
  const [one, two, three] = told(cells);
  assert.ok(one && two && three);
  assert.deepEqual(difference([one, two, three], [one, three]), { first: 1, oldEnd: 2, newEnd: 1 });
  assert.deepEqual(difference([one, one], [one]), { first: 1, oldEnd: 2, newEnd: 1 });
  const alike = { ...one, id: "another" };
  assert.deepEqual(difference([one, alike], [alike]), { first: 0, oldEnd: 1, newEnd: 0 });
});

test("of two cells with one source the first goes, with all that it holds", () => {
  const two = { ...cells[1] };
  const alike = { ...two, id: "d", outputs: [] };
  const text = written([two, alike], 1);
  assert.equal(withCells(text, told([alike])), written([alike], 1));
});

test("cells that differ in their outputs, their metadata or their id alone", () => {
  const [, two] = cells;
  const found = (cell: object) => cellsIn(written([cell], 1))?.cells ?? [];
  const others = [{ outputs: [] }, { metadata: {} }, { id: "d" }, { execution_count: 2 }];
  for (const change of others) {
    const where = difference(found({ ...two }), found({ ...two, ...change }), areWhollySame);
    assert.deepEqual(where, { first: 0, oldEnd: 1, newEnd: 1 }, JSON.stringify(change));
  }
  const same = difference(found({ ...two }), found({ ...two, source: "a = 1" }), areWhollySame);
  assert.deepEqual(same, { first: 1, oldEnd: 1, newEnd: 1 });
});

test("what is no notebook", () => {
  for (const text of ["", "{", "[]", "{}", '{"cells": [3]}', '{"cells": [{"cell_type": "x"}]}']) {
    assert.equal(cellsIn(text), undefined, text);
  }
});
