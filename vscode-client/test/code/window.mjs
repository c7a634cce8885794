// A throw-away VS Code in a browser: code-server and Debian's chromium. CODE_CACHE is the folder
// that setup.sh was given.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CACHE = join(process.env.CODE_CACHE ?? "", "glossator-code");
const SERVER = join(CACHE, "node_modules/code-server/out/node/entry.js");
const CHROMIUM = "/usr/bin/chromium";
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "files.autoSave": "off", // as on a desktop
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "editor.cursorBlinking": "solid",
  "workbench.reduceMotion": "on",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
};
const SERVER_FLAGS = [
  "--bind-addr",
  "127.0.0.1:0",
  "--auth",
  "none",
  "--disable-telemetry",
  "--disable-update-check",
  "--disable-getting-started-override",
];
const BROWSER_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Open `workspace`, a folder or a file of several, with the extension from `extension` (its folder) or `vsix`; `tests` is a module
 * that is run in the extension host, whose exit code is then in `exit`; `hears` is told what the window says.
 */
export async function openWindow({
  workspace,
  extension,
  vsix,
  tests,
  settings = {},
  env = {},
  everywhere = () => undefined,
  hears = () => undefined,
}) {
  const folder = mkdtempSync(join(tmpdir(), "vsc-")); // short: sockets have their place below it
  for (const name of ["data/User", "data/Machine", "extensions", "tmp", "home", "profile"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, "config.yaml"), "auth: none\n");
  const user = JSON.stringify({ ...SETTINGS, ...settings });
  writeFileSync(join(folder, "data/User/settings.json"), user);
  // Settings of a machine count only there, where the extension does not run beside the window.
  writeFileSync(join(folder, "data/Machine/settings.json"), JSON.stringify(settings));
  const server = await startServer(folder, vsix, tests !== undefined, env);
  const { chromium } = createRequire(`${CACHE}/`)("playwright-core");
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: CHROMIUM,
    headless: true,
    viewport: { width: 1400, height: 900 },
    deviceScaleFactor: tests ? 0.25 : 1, // nobody looks: a sixteenth of the pixels is drawn
    reducedMotion: "reduce",
    args: BROWSER_FLAGS,
  });
  const page = context.pages()[0];
  page.setDefaultTimeout(90_000);
  await page.addInitScript(everywhere);
  const exit = tests === undefined ? undefined : await listen(page, hears);
  const url = () => addressOf(server.origin, workspace, extension, tests);
  await page.goto(url());
  return {
    page,
    exit,
    folder,
    /** How long VS Code took to install the extension, in milliseconds. */
    installed: server.installed,
    log: server.log,
    async close() {
      await context.close();
      await server.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(folder, vsix, smoke, extra) {
  const env = {
    ...process.env,
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
    XDG_RUNTIME_DIR: join(folder, "tmp"),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...extra,
  };
  for (const name of [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "VSCODE_IPC_HOOK_CLI",
  ]) {
    delete env[name];
  }
  const base = [SERVER, "--config", join(folder, "config.yaml")];
  base.push(
    "--user-data-dir",
    join(folder, "data"),
    "--extensions-dir",
    join(folder, "extensions"),
  );
  const begun = performance.now();
  if (vsix) {
    execFileSync(process.execPath, [...base, "--install-extension", vsix], { env, stdio: "pipe" });
  }
  const installed = performance.now() - begun;
  const driver = smoke ? ["--vscode-option", "enable-smoke-test-driver"] : [];
  const child = spawn(process.execPath, [...base, ...SERVER_FLAGS, ...driver], {
    env,
    detached: true,
  });
  const { origin, log } = await listening(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    origin,
    log,
    installed,
    async end() {
      try {
        process.kill(-child.pid, "SIGTERM");
      } catch {
        // it has ended already
      }
      await ended;
    },
  };
}

function listening(child) {
  let log = "";
  return new Promise((resolve, reject) => {
    const read = (bytes) => {
      log += bytes;
      const origin = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
      if (origin) {
        resolve({ origin, log: () => log });
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}\n${log}`)));
  });
}

async function listen(page, hears) {
  let told;
  const exit = new Promise((resolve) => {
    told = resolve;
  });
  await page.exposeFunction("codeAutomationExit", (code) => told(code));
  await page.exposeFunction("codeAutomationLog", (_kind, words) => hears(words.join(" ")));
  return { code: exit };
}

function addressOf(origin, workspace, extension, tests) {
  const remote = `vscode-remote://${new URL(origin).host}`;
  const payload = [
    ["skipWelcome", "true"],
    ["skipReleaseNotes", "true"],
  ];
  if (extension) {
    payload.push(["extensionDevelopmentPath", remote + extension]);
  }
  if (tests) {
    payload.push(["extensionTestsPath", remote + tests]);
  }
  const kind = workspace.endsWith(".code-workspace") ? "workspace" : "folder";
  return `${origin}/?${kind}=${workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}
