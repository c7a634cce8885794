// How long a user waits: node pace.mjs VSIX PYTHON. The package is one with the wheels of all that the
// server needs; the first start unpacks them. PYTHON runs the stand-in for the model. Prints what each
// wait consists of, in milliseconds from its beginning, and the load of the machine, which counts for much.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { demoFolder } from "./demo.mjs";
import { reload, runCommand, webview } from "./gestures.mjs";
import { startModel } from "./model.mjs";
import { openWindow } from "./window.mjs";

const [vsix, python] = process.argv.slice(2);
const TIMES = 3;
const KEYS = 150;
const KEY_MILLISECONDS = [70, 110]; // between keys, as somebody types who is quick
const DELTA_SECONDS = 0.02; // between the deltas of 12 characters of an answer: 150 tokens in a second
const SLOW = { timeout: 300_000 };
const TICK_MILLISECONDS = 10; // of Linux, in which it counts the time of processes

const workspace = demoFolder(mkdtempSync("/tmp/pace-"));
const model = await startModel(python);
const settings = {
  "glossator.models.baseUrl": model.url,
  "glossator.plan.dispatch": "off",
  "glossator.grounding.entailment": false,
  "glossator.grounding.correction": "off",
};
const env = { ANTHROPIC_API_KEY: "k" };
const window = await openWindow({ workspace, vsix, settings, env, everywhere: watch });
const { page } = window;
const box = () => webview(page).locator("textarea").first();
let code = 1;
try {
  await ready(SLOW);
  const start = await startParts();
  print("first start, with installation", [start]);
  print("panel open, the first time", [await openParts()]);
  print("from the installation to the first answer", [await firstAnswer()]);
  print("panel open, again", await times(reopened));
  print("keystrokes until they are drawn, idle", [await typed()]);
  await model.paces(DELTA_SECONDS);
  await model.plays([answer(KEYS * KEY_MILLISECONDS[1])]);
  await box().fill("Tell me all about circles.");
  await box().press("Enter");
  await webview(page).getByText("Part 2", { exact: true }).waitFor();
  print("keystrokes until they are drawn, while an answer streams", [await typed()]);
  print("reload of the window, with the panel shown", await times(reloaded));
  code = 0;
} catch (error) {
  process.stdout.write(`${error.stack}\n${window.log()}\n`);
  await page.screenshot({ path: "/tmp/pace-failed.png" });
}
await window.close();
model.close();
rmSync(workspace, { recursive: true });
process.exit(code);

async function ready(options) {
  const status = page.locator("[id*='glossator.status']", { hasText: "claude" });
  await status.first().waitFor(options);
}

async function reloaded() {
  await reload(page);
  await ready();
  await box().waitFor();
  const parts = await startParts();
  const [origin, input] = [await page.evaluate(() => performance.timeOrigin), await inputSeen()];
  return { ...parts, "the panel's input is there": input - origin };
}

/** From the page's load to a server that has answered, by what the status bar says. */
async function startParts() {
  const { origin, seen } = await page.evaluate(() => ({
    origin: performance.timeOrigin,
    seen: globalThis.seen,
  }));
  const said = Object.fromEntries(
    seen.map(({ label, at }) => [
      label.replace(/^Glossator: (Glossator\. )?(Glossator: )?/, "").split(/[.…] ?/)[0],
      at - origin,
    ]),
  );
  const [host] = processes("--type=extensionHost");
  const [server] = processes("glossator.lsp --stdio");
  const steps = {
    ...said,
    "(the extension host's process)": host.begun - origin,
    "(the server's process)": server.begun - origin,
  };
  const sorted = Object.entries(steps).sort(([, one], [, other]) => one - other);
  return {
    ...Object.fromEntries(sorted),
    "processor time of the extension host": host.cpu,
    "processor time of the server": server.cpu,
  };
}

/** VS Code unpacks the package, the window opens, and a first question is answered at once by the model. */
async function firstAnswer() {
  await model.plays(["The area is computed by its radius."]);
  const asked = Date.now();
  await box().fill("How is the area computed?");
  await box().press("Enter");
  await webview(page).getByText("The area is computed by its radius.", { exact: true }).waitFor();
  const answered = Date.now();
  const origin = await page.evaluate(() => performance.timeOrigin);
  return {
    "VS Code installs the package": window.installed,
    "the question is sent, after the window began": asked - origin,
    "the answer is there, after the window began": answered - origin,
    "of that from question to answer": answered - asked,
    "all together": window.installed + answered - origin,
  };
}

/** From the key to an input that has the focus. */
async function openParts() {
  await page.evaluate(() => {
    const pressed = ({ timeStamp }) => {
      globalThis.pressed = performance.timeOrigin + timeStamp;
    };
    document.addEventListener("keydown", pressed, { capture: true });
  });
  await page.keyboard.press("Control+Alt+g");
  await box().waitFor();
  await webview(page).locator("textarea:focus").waitFor();
  const begun = await page.evaluate(() => globalThis.pressed);
  const begins = await box().evaluate(() => performance.timeOrigin);
  const input = await inputSeen();
  return {
    "the webview's frame begins": begins - begun,
    "input drawn": input - begun,
    "input with focus": (await focusSeen()) - begun,
  };
}

async function reopened() {
  await runCommand(page, "View: Show Explorer");
  await page.locator(".explorer-viewlet").waitFor();
  await page.locator(".explorer-folders-view .monaco-list").click();
  await pause(500);
  return await openParts();
}

async function inputSeen() {
  return await box().evaluate(() => performance.timeOrigin + globalThis.inputSeen);
}

async function focusSeen() {
  return await box().evaluate(() => performance.timeOrigin + globalThis.focusSeen);
}

/** How long keys take until the frame after them, in the chat's input. */
async function typed() {
  await box().fill("");
  await box().focus();
  await box().evaluate((element) => {
    globalThis.keys = [];
    const drawn = new MessageChannel();
    let begun;
    drawn.port1.onmessage = () => globalThis.keys.push(performance.now() - begun);
    element.ownerDocument.onkeydown = ({ timeStamp }) => {
      begun = timeStamp;
      requestAnimationFrame(() => drawn.port2.postMessage(null));
    };
  });
  const [least, most] = KEY_MILLISECONDS;
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press("abcdefghij klmnopqrst "[key % 22]);
    await pause(least + ((key * 17) % (most - least))); // not in step with the frames
  }
  const keys = (await box().evaluate(() => globalThis.keys)).sort((one, other) => one - other);
  await box().fill("");
  const share = (part) => keys[Math.ceil(keys.length * part) - 1];
  return { keys: keys.length, median: share(0.5), p95: share(0.95), longest: keys.at(-1) };
}

/** Markdown that takes this many milliseconds, and a few seconds more. */
function answer(milliseconds) {
  const part = (n) =>
    `\n\n## Part ${n}\n\nA circle's *area* is computed in \`demo.py\`, by **pi** and its radius:\n\n` +
    "- the radius is squared\n- it is multiplied by `math.pi`\n- nothing is rounded\n\n" +
    '```python\ndef area(radius):\n    """The area of a circle."""\n    return math.pi * radius * radius\n```\n\n' +
    "| radius | area |\n|---|---|\n| 1 | 3.14 |\n| 2 | 12.57 |\n\nThat is all that the program does with it.";
  const characters = ((milliseconds + 10_000) / 1000 / DELTA_SECONDS) * 12;
  return Array.from({ length: characters / part(10).length }, (_, n) => part(n + 1))
    .join("")
    .trim();
}

async function times(measure) {
  const measured = [];
  for (let time = 0; time < TIMES; time++) {
    measured.push(await measure());
  }
  return measured;
}

/** The median of each part. */
function print(title, measured) {
  const names = [...new Set(measured.flatMap((each) => Object.keys(each)))];
  const load = loadavg()[0].toFixed(1);
  process.stdout.write(`\n${title} (${measured.length} times; load ${load})\n`);
  for (const name of names) {
    const all = measured.map((each) => each[name]).filter((each) => each !== undefined);
    const median = all.sort((one, other) => one - other)[Math.floor(all.length / 2)];
    process.stdout.write(`${String(Math.round(median)).padStart(7)}  ${name}\n`);
  }
}

/** The processes of this window whose command line has these words, newest first. */
function processes(words) {
  const now = Number(readFileSync("/proc/uptime", "utf-8").split(" ")[0]) * 1000;
  const booted = Date.now() - now;
  const found = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const folder = join("/proc", name);
        const command = readFileSync(join(folder, "cmdline"), "utf-8").replaceAll("\0", " ");
        const environment = readFileSync(join(folder, "environ"), "utf-8");
        const stat = readFileSync(join(folder, "stat"), "utf-8").split(") ")[1].split(" ");
        const ours = command.includes(words) && environment.includes(window.folder);
        const [user, system, begun] = [11, 12, 19].map((n) => Number(stat[n]) * TICK_MILLISECONDS);
        return ours ? [{ begun: booted + begun, cpu: user + system }] : [];
      } catch {
        return []; // it has ended
      }
    });
  return found.sort((one, other) => other.begun - one.begun);
}

/** Runs in each frame from its beginning: notes what the status bar says, and the chat's input. */
function watch() {
  globalThis.seen = [];
  const timer = setInterval(() => {
    const item = document.querySelector("[id*='glossator.status'] [aria-label]");
    const label = item?.getAttribute("aria-label");
    const toast = [...document.querySelectorAll(".notification-list-item-message")]
      .map((each) => each.textContent)
      .find((text) => text.startsWith("Glossator"));
    for (const each of [label, toast]) {
      if (each && !globalThis.seen.some((known) => known.label === each)) {
        globalThis.seen.push({ label: each, at: Date.now() });
      }
    }
    const input = document.querySelector("textarea");
    if (input) {
      globalThis.inputSeen ??= performance.now();
    }
    if (input && document.hasFocus() && document.activeElement === input) {
      globalThis.focusSeen ??= performance.now();
    }
    if (label?.includes("claude") || globalThis.focusSeen) {
      clearInterval(timer); // it would weigh on what is measured next
    }
  }, 5);
}
