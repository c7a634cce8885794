// Lines that stay the same lines while text is typed around and in them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Place } from "../../src/editor/place.ts";

const CHANGES = [
  ["lines above", [0, 0, 2], [6, 8]],
  ["a line above goes", [1, 2, 0], [3, 5]],
  ["the line above goes, up to the place", [3, 4, 0], [3, 5]],
  ["lines below", [7, 7, 3], [4, 6]],
  ["a line within", [5, 5, 1], [4, 7]],
  ["at the first line", [4, 4, 1], [4, 7]],
  ["all of it, for one line", [4, 6, 0], [4, 4]],
  ["from above to within", [2, 5, 0], [2, 3]],
  ["all of the text", [0, 20, 1], [0, 0]],
] as const;

for (const [what, [start, end, breaks], [first, last]] of CHANGES) {
  test(`a place after a change: ${what}`, () => {
    const place = new Place("a.py", 4, 6);
    place.changed(start, end, breaks);
    assert.deepEqual([place.first, place.last], [first, last]);
  });
}
