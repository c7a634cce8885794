import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  callOf,
  looksLikeCommand,
  nearest,
  slashOf,
  unknownSlash,
} from "../../src/commands/slash.ts";
import { CHAT_COMMANDS } from "../../src/wire.ts";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const palette = new Set(
  manifest.contributes.commands.map(({ command }: { command: string }) => command),
);
const session = () => "s";
const call = (typed: string) => {
  const slash = slashOf(typed);
  return slash && callOf(slash, session);
};

test("each chat command is one of the palette, and the one the server names", () => {
  for (const [name, command] of Object.entries(CHAT_COMMANDS)) {
    const [called] = call(`/${name}`) ?? [];
    assert.ok(palette.has(called), `/${name} runs ${called}`);
    if (name !== "retry") {
      assert.equal(called, command);
    }
  }
});

test("the words behind a chat command are its own", () => {
  assert.deepEqual(call("/explain in French"), ["glossator.explain", { instruction: "in French" }]);
  assert.deepEqual(call(" /refactor\ninto two\nparts "), [
    "glossator.refactor",
    { instruction: "into two\nparts" },
  ]);
  assert.deepEqual(call("/rename  Areas"), ["glossator.renameSession", "s", "Areas"]);
  assert.deepEqual(call("/export"), ["glossator.exportSession", "s"]);
  assert.deepEqual(call("/index"), ["glossator.rebuildIndex", "update"]);
  assert.deepEqual(call("/plan a journey"), ["glossator.setMode", "plan"]);
  assert.deepEqual(call("/undo"), ["glossator.undoTurn", "last"]);
});

test("what is no chat command is a question", () => {
  for (const typed of ["explain /new", "/etc/passwd holds what?", "/constructor", "/", "//new"]) {
    assert.equal(slashOf(typed), undefined);
  }
});

test("a word that is no command is known as such, and the nearest one is offered", () => {
  assert.equal(unknownSlash("/exlpain this"), "exlpain");
  assert.equal(unknownSlash(" /review:all"), "review:all");
  for (const typed of ["/explain this", "/etc/passwd holds what?", "/", "// why", "why /exlpain"]) {
    assert.equal(unknownSlash(typed), undefined);
  }
  for (const typed of ["/explain this", "/exlpain this", "/review"]) {
    assert.ok(looksLikeCommand(typed), typed);
  }
  assert.ok(!looksLikeCommand("/etc/passwd holds what?"));
  const names = Object.keys(CHAT_COMMANDS);
  for (const [typed, near] of [
    ["exlpain", "explain"],
    ["reset", undefined],
    ["contxt", "context"],
    ["hepl", undefined],
    ["sum", "summary"],
    ["stauts", "status"],
  ] as const) {
    assert.equal(nearest(typed, names), near, typed);
  }
});
