// The stand-in for the model's API, a process beside VS Code; see tests/vscode/model.py.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "../../..");

/** Where the stream of a turn stands still, after its first block, until `goesOn`. */
export const HELD = null;

/** Start it with this Python. */
export async function startModel(python) {
  const child = spawn(python, ["-m", "tests.vscode.model"], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    assert.ok(!done, "the stand-in for the model has ended");
    return JSON.parse(value);
  };
  const order = async (line) => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
    return await next();
  };
  const { url } = await next();
  return {
    url,
    /** What it replies to the next requests: each an array of texts and `{ Tool: arguments }`. */
    plays: (...turns) => order({ play: turns }),
    /** The seconds between the frames of what it replies from now on. */
    paces: (seconds) => order({ pace: seconds }),
    /** What it replies to requests without tools: `[words in the request, turn]`, each once. */
    replies: (...sides) => order({ sides }),
    /** How it judges statements, and what it makes of them, by a word of theirs. */
    judges: (verdicts, rewrites = {}) => order({ verdicts, rewrites }),
    /** Let the streams go on that stand still by now. */
    goesOn: () => order({ go: true }),
    /** Wait until a client has left in mid-reply. */
    parted: () => order({ parted: 1 }),
    /** What it was asked, what it refused, and how many turns are left. */
    told: () => order({ tell: true }),
    close() {
      child.stdin.end();
    },
  };
}

/** The result of the call of a tool that a conversation holds last. */
export function resultOf({ messages }, tool) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const call = blocks.findLast((each) => each.type === "tool_use" && each.name === tool);
  const result = blocks.findLast((each) => each.tool_use_id === call?.id);
  assert.ok(result, `no result of ${tool}`);
  return typeof result.content === "string" ? result.content : JSON.stringify(result.content);
}
