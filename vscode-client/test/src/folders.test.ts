import assert from "node:assert/strict";
import { test } from "node:test";
import { folderOf, namesOf, shownIn } from "../../src/panel/folders.ts";

test("folders are called by their last part, each otherwise", () => {
  const folders = ["/w/shop", "/v/shop", "C:\\w\\till", "/w/shop-2", "/"];
  assert.deepEqual([...namesOf(folders).keys()], ["shop", "shop-2", "till", "shop-2-2", "root"]);
});

test("paths are shown from the folder that holds them, with its name where there are several", () => {
  assert.equal(shownIn(["/w/shop"], "/w/shop/a/b.py"), "a/b.py");
  assert.equal(shownIn(["/w/shop", "/v/shop"], "/v/shop/a.py"), "shop-2/a.py");
  assert.equal(shownIn(["/w", "/w/shop"], "/w/shop/a.py"), "shop/a.py");
  assert.equal(shownIn(["/w/shop"], "/w/shopping/a.py"), "/w/shopping/a.py");
  assert.equal(shownIn(["C:\\w"], "C:\\w\\a.py"), "a.py");
});

test("a folder in a worktree was made of the one that ends alike, wherever that is in the workspace", () => {
  const top = "/state/glossator-worktrees/shop-0123abcd/work-1";
  const folders = ["/elsewhere/lib", "/w/shop/till", "/w/shop"];
  const found = (folder: string) => folders[folderOf(folder, "work-1", folders)];
  assert.equal(found(top), "/w/shop");
  assert.equal(found(`${top}/till`), "/w/shop/till");
  assert.equal(found(`${top}/lib`), undefined); // another one than that of the workspace
  assert.equal(found("/state/glossator-worktrees/work-1"), undefined);
});
