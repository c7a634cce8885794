import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, squeezed } from "../../panel/state/detail.ts";

const marks = (text: string) => squeezed(rowsOf(text, null)).flatMap(({ mark }) => mark ?? []);

test("every line is shown, however many there are", () => {
  const text = Array.from({ length: 500 }, (_, at) => `echo ${at}`).join("\n");
  const rows = squeezed(rowsOf(text, null));
  assert.equal(rows.map(({ before }) => before).join("\n"), text);
});

test("empty lines and long ones are squeezed where that is said, and are whole when wanted", () => {
  const text = `a\n${" \n".repeat(57)}b\n${"x".repeat(1000)}!\n\n\nc`;
  assert.deepEqual(marks(text), ["57 empty lines", "681 more characters"]);
  const long = squeezed(rowsOf(text, null)).find(({ after }) => after);
  assert.ok(long?.after?.endsWith("!"), "the end of a long line is shown");
  assert.equal(
    rowsOf(text, null)
      .map(({ before }) => before)
      .join("\n"),
    text,
  );
});

test("what the server left out is said in its place", () => {
  const rows = squeezed(rowsOf("a\nb", { bytes: 1234, tail: "y\nz" }));
  assert.deepEqual(
    rows.map(({ before, mark }) => mark ?? before),
    ["a", "b", "1,234 bytes left out here", "y", "z"],
  );
});
