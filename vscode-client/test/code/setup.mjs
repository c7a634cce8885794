// The set-up, as the walkthrough leads through it: a first question without a key, then a model that runs
// on this machine, found and named in the settings by one choice, and an edit that it makes. The setting
// is typed in the settings page. Leaves the pictures of the walkthrough: node setup.mjs VSIX PYTHON
// [FOLDER for pictures]. Ollama's port must be free.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { quickInput, runCommand } from "./gestures.mjs";
import { startModel } from "./model.mjs";
import { Stage } from "./stage.mjs";
import { openWindow } from "./window.mjs";

const [vsix, python, pictures = "/tmp"] = process.argv.slice(2);
const PORT = 11434;
const MODEL = "qwen3-coder:30b";
const THEMES = { light: "Light 2026", dark: "Dark 2026" };
const SIZE = { width: 860, height: 700 }; // of the pictures: they are shown some 500 pixels wide
const MAIN = `import math
import sys


def area(radius):
    """The area of a circle."""
    return math.pi * radius


def main():
    """Print the area of a circle, whose radius is the first argument."""
    print(area(float(sys.argv[1])))


main()
`;
const EDIT = { path: "circles.py", old_text: "math.pi * radius", new_text: "math.pi * radius**2" };

const workspace = mkdtempSync("/tmp/setup-");
writeFileSync(join(workspace, "circles.py"), MAIN);
const model = await startModel(python);
const ollama = await startOllama(new URL(model.url));
const settings = {
  "glossator.python": python,
  "glossator.plan.dispatch": "off",
  "glossator.grounding.entailment": false,
  "glossator.grounding.correction": "off",
};
const env = { ANTHROPIC_API_KEY: "" };
const window = await openWindow({ workspace, vsix, settings, env });
const { page } = window;
const stage = new Stage({ window, model, workspace, pictures });
const { panel } = stage;
const rows = page.locator(".quick-input-widget .monaco-list-row");
let code = 1;
try {
  await page.setViewportSize(SIZE);
  await stage.ready();
  await runCommand(page, "Glossator: Ask");
  await panel.getByText("Use a local model").waitFor();
  await stage.widen(380);
  await inThemes("start");

  await page.setViewportSize({ width: 1400, height: 900 });
  await walkthrough();
  const steps = page.locator(".gettingStartedContainer");
  await steps.getByText("Ask a first question").click();
  await page.waitForTimeout(500); // until the picture is drawn
  await stage.picture("setup-walkthrough");
  await steps.getByRole("button", { name: "Ask: What does main do?" }).click();
  const cited = panel.locator("[data-cite]").first();
  await cited.waitFor();
  await runCommand(page, "View: Close All Editors");
  await cited.click();
  await stage.at("Ln 10, Col 1");
  await page.setViewportSize(SIZE);
  await inThemes("ask");

  await page.setViewportSize({ width: 1400, height: 900 });
  await walkthrough();
  await steps.getByText("Choose what answers").click();
  await page.waitForTimeout(500); // likewise
  await stage.picture("setup-key");
  await runCommand(page, "View: Close All Editors");
  await page.setViewportSize(SIZE);
  for (const [name, theme] of Object.entries(THEMES)) {
    await stage.theme(theme);
    await quickInput(page, "F1", ">Glossator: Set API Key");
    await rows.filter({ hasText: "Set API Key" }).first().click();
    await rows.filter({ hasText: MODEL }).waitFor();
    await stage.picture(`key-${name}`);
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await quickInput(page, "F1", ">Glossator: Set API Key");
  await rows.filter({ hasText: "Set API Key" }).first().click();
  await rows.filter({ hasText: "Enter an API key" }).click();
  const box = page.locator(".quick-input-widget");
  await box.getByText("Claude subscriptions").waitFor();
  await box.locator("input").first().fill("sk-ant-oat01-x");
  await box.getByText("This is the login of a Claude subscription").waitFor();
  await stage.picture("setup-typed");
  await page.keyboard.press("Escape");

  await runCommand(page, "Glossator: Use a Server on This Machine");
  await rows.filter({ hasText: MODEL }).click();
  const status = page.locator("[id*='glossator.status']", { hasText: MODEL });
  await status.first().waitFor();
  const written = JSON.parse(readFileSync(join(window.folder, "data/Machine/settings.json")));
  assert.equal(written["glossator.models.baseUrl"], `http://127.0.0.1:${PORT}`);
  assert.equal(written["glossator.models.profile"], "ollama");
  assert.deepEqual(written["glossator.models.main"], { model: MODEL });

  await model.plays([{ Read: { path: "circles.py" } }], [{ Edit: EDIT }], ["It is squared now."]);
  await stage.begin();
  await stage.ask("The area is wrong. Mend it.");
  await panel.locator(".permission").waitFor();
  await page.locator(".tab.active", { hasText: "(proposed)" }).waitFor();
  assert.equal(await page.locator(".notifications-toasts .codicon-error").count(), 0);
  await runCommand(page, "Notifications: Clear All Notifications");
  await page.setViewportSize(SIZE);
  await inThemes("review");
  await page.setViewportSize({ width: 1400, height: 900 });
  await panel.locator(".permission").getByText("Allow once").click();
  await panel.getByText("It is squared now.").waitFor();

  await runCommand(page, "Glossator: Open Settings");
  const page10 = page.locator(".settings-editor");
  const address = page10.locator("[data-key='glossator.models.baseUrl'] input");
  await address.waitFor();
  await page.waitForTimeout(1000); // until all are drawn
  await stage.picture("setup-settings");
  await address.fill("http://127.0.0.1:9");
  await address.press("Enter");
  const file = join(window.folder, "data/Machine/settings.json");
  while (
    !readFileSync(file, "utf-8").includes('"glossator.models.baseUrl": "http://127.0.0.1:9"')
  ) {
    await page.waitForTimeout(100); // the whole test has a deadline
  }
  code = 0;
} catch (error) {
  process.stdout.write(`${error.stack}\n${window.log()}\n`);
  await stage.picture("setup-failed");
}
await window.close();
ollama.close();
model.close();
rmSync(workspace, { recursive: true });
process.exit(code);

async function walkthrough() {
  await quickInput(page, "F1", ">Welcome: Open Walkthrough");
  await rows.filter({ hasText: "Open Walkthrough" }).first().click();
  await rows.filter({ hasText: "Get started with Glossator" }).click();
  await page.locator(".gettingStartedContainer").getByText("Choose what answers").waitFor();
}

async function inThemes(name) {
  for (const [kind, theme] of Object.entries(THEMES)) {
    await stage.theme(theme);
    await stage.picture(`${name}-${kind}`);
  }
}

/** What Ollama tells of itself; the stand-in for the model answers what is asked. */
async function startOllama(target) {
  const told = {
    "/api/tags": { models: [{ model: MODEL }] },
    "/api/ps": { models: [{ model: MODEL, context_length: 64_000 }] },
    "/api/generate": {},
  };
  const server = createServer((asked, answer) => {
    const known = told[asked.url];
    if (known || asked.method === "GET") {
      answer.statusCode = known ? 200 : 404;
      answer.setHeader("Content-Type", "application/json").end(JSON.stringify(known ?? {}));
      return;
    }
    const read = [];
    asked.on("data", (bytes) => read.push(bytes));
    asked.on("end", () => {
      const body = JSON.parse(Buffer.concat(read));
      if (body.messages === undefined) {
        answer.writeHead(400).end('{"type": "error"}'); // an empty request, by which it is tried
        return;
      }
      assert.equal(body.model, MODEL);
      const sent = JSON.stringify({ ...body, model: "claude-sonnet-5-5" }); // which the stand-in knows
      const headers = { ...asked.headers, "content-length": Buffer.byteLength(sent) };
      const { hostname: host, port } = target;
      const passed = request({ host, port, method: "POST", headers, path: asked.url });
      passed.on("response", (back) => {
        answer.writeHead(back.statusCode, back.headers);
        back.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      passed.end(sent);
    });
  });
  await new Promise((resolve) => server.listen(PORT, "127.0.0.1", resolve));
  return server;
}
