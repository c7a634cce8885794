// Tells stories of users, one after the other in one window: node story.mjs VSIX PYTHON PICTURES NAME…
// A story is a module: `story(stage)`, and what it needs: `files` of the workspace, and `settings`,
// on which the stories of one window agree. Without a setting `models.offline` the model is the
// stand-in. Each begins in a new session with no editor open, and tidies up what it typed. THEME is
// the name of a colour theme, for other pictures.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startModel } from "./model.mjs";
import { pythonWith } from "./python.mjs";
import { Stage } from "./stage.mjs";
import { openWindow } from "./window.mjs";

const [vsix, python, pictures, ...names] = process.argv.slice(2);
const stories = await Promise.all(
  names.map(async (name) => ({
    name,
    files: {},
    settings: {},
    ...(await import(`./${name}.mjs`)),
  })),
);
const workspace = mkdtempSync("/tmp/story-");
for (const [path, text] of stories.flatMap(({ files }) => Object.entries(files))) {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}
const model = await startModel(python);
const front = stories.find(({ server }) => server)?.server;
const program = front === undefined ? python : pythonWith(front, python);
const settings = Object.assign(
  {
    "glossator.python": program,
    "glossator.models.baseUrl": model.url,
    "glossator.models.main": { model: "claude-sonnet-5-5" }, // named, so that they have prices
    "glossator.models.fast": { model: "claude-haiku-5-5" },
    "glossator.plan.dispatch": "off", // a story names the requests in their order
    "glossator.grounding.entailment": false,
    "glossator.grounding.correction": "off",
    "glossator.sessions.titles": false,
  },
  process.env.THEME ? { "workbench.colorTheme": process.env.THEME } : {},
  ...stories.map((each) => each.settings),
);
const window = await openWindow({ workspace, vsix, settings, env: { ANTHROPIC_API_KEY: "k" } });
const stage = new Stage({ window, model, workspace, pictures, python });
const told = async (name, act) => {
  const begun = performance.now();
  await act();
  process.stdout.write(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
};
let code = 1;
try {
  await told("start", () => stage.ready());
  for (const { name, story, settings: own } of stories) {
    await told(name, async () => {
      await stage.clear();
      await stage.usually(own["glossator.permissions.mode"]);
      await story(stage);
      const { refusals, left } = await model.told();
      assert.deepEqual({ refusals, left }, { refusals: [], left: 0 });
    });
  }
  code = 0;
} catch (error) {
  process.stdout.write(`${error.stack}\n${window.log()}\n`);
  await stage.picture("story-failed");
}
await window.close();
model.close();
rmSync(workspace, { recursive: true });
process.exit(code);
