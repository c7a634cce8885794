import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Uri } from "vscode";
import { ChangedFiles, MOST_CHARACTERS, MOST_FILES } from "../../src/editor/changed-files.ts";
import { ChangedText } from "../../src/editor/changed-text.ts";

/** As much of VS Code's as is needed. */
function uri(path: string): Uri {
  const given = { path, toString: () => `file://${path}`, with: ({ path: to = "" }) => uri(to) };
  return given as unknown as Uri;
}

const parse = (text: string) => uri(text.replace("file://", ""));

function file(path: string, turn = "t", before = "a") {
  const text = new ChangedText(before);
  text.becomes("b");
  const turns = [{ sessionId: "s", turn, path }];
  return { uri: uri(path), text, turns, isNew: false, isWhole: true };
}

const paths = (files: ChangedFiles) => files.kept.map((each) => parse(each.uri).path);

test("what waits goes on in another window; what was kept does not", () => {
  const files = new ChangedFiles([], parse);
  files.changed(file("/w/a"));
  const kept = file("/w/b");
  files.changed(kept);
  kept.text.keepAll();
  assert.deepEqual(files.kept, [
    {
      uri: "file:///w/a",
      before: "a",
      taken: { added: 0, removed: 0 },
      turns: [{ sessionId: "s", turn: "t", path: "/w/a" }],
      isNew: false,
      isWhole: true,
    },
  ]);
  const again = new ChangedFiles(files.kept, parse);
  assert.deepEqual([again.kept, again.get(uri("/w/a"))?.text.waits], [files.kept, true]);
});

test("a file of which all was undone is kept, too: its change may come back", () => {
  const files = new ChangedFiles([], parse);
  const undone = file("/w/a");
  const whose = undone.turns;
  undone.text.becomes("a");
  files.changed({ ...undone, turns: [], whose });
  const again = new ChangedFiles(files.kept, parse).get(uri("/w/a"));
  assert.deepEqual([again?.turns, again?.whose], [[], whose]);
});

test("of too many files those go that were changed least lately; a large one never waits", () => {
  const files = new ChangedFiles([], parse);
  for (let number = 0; number < MOST_FILES; number += 1) {
    files.changed(file(`/w/${number}`));
  }
  files.changed(file("/w/0", "u"));
  files.changed(file("/w/new"));
  assert.equal(paths(files).length, MOST_FILES);
  assert.deepEqual(paths(files).slice(0, 1), ["/w/2"]);
  assert.deepEqual(paths(files).slice(-2), ["/w/0", "/w/new"]);
  files.changed(file("/w/large", "t", "x".repeat(MOST_CHARACTERS + 1)));
  assert.equal(files.get(uri("/w/large")), undefined);
});

test("files follow a new name, theirs or a folder's, and are then undone part by part", () => {
  const files = new ChangedFiles([], parse);
  for (const path of ["/w/a/b", "/w/a/c/d", "/w/ab", "/w/e"]) {
    files.changed(file(path));
  }
  files.rename(uri("/w/a"), uri("/w/a2"));
  files.rename(uri("/w/e"), uri("/w/f"));
  assert.deepEqual(paths(files), ["/w/ab", "/w/a2/b", "/w/a2/c/d", "/w/f"]);
  assert.deepEqual(
    files.kept.map(({ isWhole }) => isWhole),
    [true, false, false, false],
  );
});

test("of turns that were undone elsewhere, the files are no longer undone as a whole", () => {
  const files = new ChangedFiles([], parse);
  files.changed(file("/w/a", "t"));
  files.changed(file("/w/b", "u"));
  assert.deepEqual(
    files.undone(["u", "v"]).map((each) => each.uri.path),
    ["/w/b"],
  );
  assert.deepEqual(
    [files.get(uri("/w/a"))?.isWhole, files.get(uri("/w/b"))?.isWhole],
    [true, false],
  );
});

test("the keys of VS Code for changes are ours only in a file in which something waits", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf-8"));
  const whens = contributes.keybindings
    .filter(({ key }: { key: string }) => /^alt\+(shift\+)?f5$/.test(key))
    .map(({ when }: { when: string }) => when.split(" && ")[0]);
  assert.deepEqual(whens, Array(2).fill("resourcePath in glossator.changedFiles"));
});
