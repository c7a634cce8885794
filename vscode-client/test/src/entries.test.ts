// What the Context view says of sources.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  groupsOf,
  heard,
  isOn,
  isProposed,
  linesOf,
  signOf,
  wordsOf,
} from "../../src/context/entries.ts";
import type { ContextSource } from "../../src/wire.ts";

function source(given: Partial<ContextSource>): ContextSource {
  return {
    kind: "skill",
    id: "/w/release",
    name: "release",
    source: "project",
    state: "on",
    why: "",
    detail: "Releases a version.",
    uri: "file:///w/release",
    actions: ["turnOff", "open"],
    ...given,
  };
}

test("a group for each kind that has something", () => {
  const groups = groupsOf([
    source({ kind: "mcp", name: "tickets" }),
    source({}),
    source({ name: "b" }),
  ]);
  assert.deepEqual(
    groups.map(({ title, sources }) => [title, ...sources.map(({ name }) => name)]),
    [
      ["Skills", "release", "b"],
      ["MCP servers", "tickets"],
    ],
  );
});

for (const [given, words, icon, on] of [
  [source({}), "this workspace", "mortar-board", true],
  [
    source({ state: "off", actions: ["turnOn"], source: "user" }),
    "off · yours",
    "circle-slash",
    false,
  ],
  [
    source({ kind: "fact", detail: "shop.py:1-2, pinned", actions: ["forget", "unpin", "open"] }),
    "shop.py:1-2, pinned",
    "verified",
    undefined,
  ],
  [
    source({ kind: "rule", detail: "denied, by your settings", actions: ["configure"] }),
    "denied, by your settings",
    "shield",
    undefined,
  ],
  [
    source({ kind: "index", state: "waiting", detail: "7 files", actions: ["rebuild"] }),
    "starting · 7 files",
    "sync",
    undefined,
  ],
  [
    source({ kind: "fact", state: "stale", detail: "a.py:3", actions: ["forget", "pin", "open"] }),
    "stale · a.py:3",
    "warning",
    undefined,
  ],
  [source({ state: "untrusted", actions: [] }), "left out · this workspace", "lock", undefined],
  [
    source({
      kind: "hook",
      state: "proposed",
      detail: "Runs: make\u202e",
      actions: ["turnOff", "adopt"],
    }),
    "not approved · this workspace · Runs: make\\u202e",
    "warning",
    undefined,
  ],
  [
    source({ kind: "mcp", state: "needs login", actions: ["turnOff", "login"], source: "user" }),
    "needs login · yours",
    "account",
    true,
  ],
] as const) {
  test(`it reads: ${words}`, () => {
    assert.equal(wordsOf(given), words);
    assert.equal(signOf(given).icon, icon);
    assert.equal(isOn(given), on);
    assert.equal(isProposed(given), given.state === "proposed");
  });
}

test("it is heard as one sentence", () => {
  assert.equal(heard(source({ state: "stale" })), "release, stale, this workspace");
});

test("a link names lines, or none", () => {
  assert.deepEqual(linesOf("L3-L9"), [3, 9]);
  assert.deepEqual(linesOf("L3"), [3, 3]);
  assert.equal(linesOf(""), undefined);
  assert.equal(linesOf("heading"), undefined);
});
