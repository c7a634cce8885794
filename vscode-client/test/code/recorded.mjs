// A run with sub-agents, a plan, facts, citations in all states, corrections and a diagram: asked, it
// is shown whole, and a citation leads to its lines.

import assert from "node:assert/strict";
import { again } from "./gestures.mjs";

const QUESTION = "Compare how the three servers handle cancellation, and say which is safest.";
const HANDLER = (number) => `async def handle_${number}(request):
    """Answer requests of kind ${number}."""
    return await answer(request, kind=${number})


`;
const CANCEL = `async def cancelled(self, request_id):
    """End the task of a request, and wait for it.

    What it has begun is finished or undone before the
    client hears that the request is over.
    """
    task = self._tasks.pop(request_id, None)
    if task is None:
        return  # it has been answered
    task.cancel()
    await asyncio.wait([task])
    reply = error(request_id, REQUEST_CANCELLED)
    await self.send(reply)


`;
const handlers = (from, to) =>
  Array.from({ length: to - from }, (_, at) => HANDLER(from + at)).join("");
const LISTEN = `"""Hears what clients ask."""\n\nimport asyncio\n\n${handlers(1, 8)}${CANCEL}${handlers(8, 20)}`;

export const files = {
  "server/listen.py": LISTEN,
  ...Object.fromEntries(
    ["second", "third", "log", "runs"].map((name) => [`server/${name}.py`, handlers(1, 24)]),
  ),
};
export const server = "tests.vscode.recorded";

export async function story(stage) {
  const { turn } = stage;
  await stage.ask(QUESTION);
  await turn.locator(".diagram").waitFor();
  await shown(turn);
  await turn.locator(".agent .fold-head").first().click();
  await turn.getByText("one task per request").waitFor();
  await turn.locator(".sources .fold-head").first().click();
  await turn.locator(".corrections .fold-head").click();
  await turn.locator(".facts .fold-head").click();
  await stage.picture("recorded-run");
  await turn.locator(".cite.verified").first().click();
  await stage.at("Ln 40, Col 1");
}

const PARTS = {
  ".agent": 2,
  ".list li": 3,
  ".facts": 1,
  ".cite.read": 1,
  ".cite.verified": 2,
  ".cite.contradicted": 1,
  ".cite.moved": 1,
  ".cite.stale": 1,
  ".cite.unsupported": 2,
  ".uncited": 3,
  ".corrections": 1,
  ".diagram": 1,
  ".markdown table": 1,
};

async function shown(turn) {
  await again(async (timeout, tries) => {
    await turn.page().waitForTimeout(tries > 1 ? timeout : 0); // the last of it may be on its way
    const counts = {};
    for (const selector of Object.keys(PARTS)) {
      counts[selector] = await turn.locator(selector).count();
    }
    assert.deepEqual(counts, PARTS);
  });
}
