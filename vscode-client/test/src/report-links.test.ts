import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFolder } from "../../src/editor/report-links.ts";

test("links of reports lead from the first folder", () => {
  const links = [
    ["file:///w/a/x.py#L3-L4", "/x.py#L3-L4"],
    ["file:///w/b/x.py", "/../b/x.py"],
    ["file:///w/a/%C3%A9%20t%C3%A9.py#L1", "/%C3%A9%20t%C3%A9.py#L1"],
    ["file:///w/a/%5Bid%5D.py#L1", "/%5Bid%5D.py#L1"],
    ["https://example.org/x", "https://example.org/x"],
  ];
  for (const [from, to] of links) {
    assert.equal(fromFolder(`- It is [x](${from}).`, "/w/a"), `- It is [x](${to}).`);
  }
});
