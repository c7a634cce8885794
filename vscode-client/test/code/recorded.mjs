// A run with sub-agents, a plan, facts, citations in all states and a diagram, as it will be told:
// asked, it is shown whole, and a citation leads to its lines.

import assert from "node:assert/strict";

const LINES = Array.from({ length: 120 }, (_, at) => `line_${at + 1} = ${at + 1}\n`).join("");
const QUESTION = "Compare how the three servers handle cancellation, and say which is safest.";

export const files = Object.fromEntries(
  ["listen", "second", "third", "log", "runs"].map((name) => [`server/${name}.py`, LINES]),
);
export const server = "tests.vscode.recorded";

export async function story(stage) {
  const { turn } = stage;
  await stage.ask(QUESTION);
  await turn.locator(".diagram").waitFor();
  await shown(turn);
  await turn.locator(".agent .fold-head").first().click();
  await turn.getByText("one task per request").waitFor();
  await turn.locator(".sources .fold-head").first().click();
  await turn.locator(".facts .fold-head").click();
  await stage.picture("recorded-run");
  await turn.locator(".cite.verified").first().click();
  await stage.at("Ln 40, Col 1");
}

const PARTS = {
  ".agent": 2,
  ".list li": 3,
  ".facts": 1,
  ".cite.verified": 2,
  ".cite.contradicted": 1,
  ".cite.moved": 1,
  ".cite.stale": 1,
  ".cite.unsupported": 1,
  ".diagram": 1,
  ".markdown table": 1,
};

async function shown(turn) {
  const counts = {};
  for (const selector of Object.keys(PARTS)) {
    counts[selector] = await turn.locator(selector).count();
  }
  assert.deepEqual(counts, PARTS);
}
