import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionInfo } from "../../src/wire.ts";
import { detailOf } from "../../src/worktree.ts";

const worktree = { name: "w", branch: "glossator/work-1", folders: [], state: "open", changed: 2 };
const none = { running: false, waits: false, elsewhere: "", worktree: null, found: "" };

test("a list of sessions says where each is open, what it does, and where it works", () => {
  const detail = (given: object) => detailOf({ ...none, ...given } as unknown as SessionInfo);
  assert.equal(detail({}), "");
  assert.equal(detail({ found: "the tax" }), "the tax");
  assert.equal(detail({ elsewhere: "a terminal", running: true }), "open in a terminal");
  assert.equal(detail({ running: true, waits: true }), "waits for you");
  assert.equal(
    detail({ worktree, found: "the tax" }),
    "$(git-branch) glossator/work-1, 2\u00a0files · the tax",
  );
  assert.equal(detail({ worktree, running: true }), "running · $(git-branch) glossator/work-1");
});
