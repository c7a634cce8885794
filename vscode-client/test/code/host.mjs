// Runs the tests of host.ts in a real VS Code: node host.mjs PYTHON [WORDS of names]. Says what came of each, what failed
// first and last, and ends with their exit code. What VS Code says is in dist/host.log.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoFolder, twoFolders } from "./demo.mjs";
import { openWindow } from "./window.mjs";

const CLIENT = join(import.meta.dirname, "../..");
const LOG = join(CLIENT, "dist/host.log");
const MILLISECONDS = 800_000; // after which it hangs

const folder = mkdtempSync("/tmp/host-");
const workspace = twoFolders(demoFolder(join(folder, "shop")));
const vsix = join(folder, "python.vsix");
packPythonExtension(vsix);
const extension = join(folder, "glossator"); // the window watches all that lies there
cpSync(CLIENT, extension, { recursive: true, filter: (path) => !path.includes("node_modules") });
const told = join(folder, "told");
writeFileSync(told, "");
writeFileSync(LOG, "");
const window = await openWindow({
  workspace,
  vsix,
  extension,
  tests: join(extension, "dist/code/host.cjs"),
  settings: { "glossator.python": process.argv[2], "glossator.models.offline": true },
  env: { TOLD: told, WORDS: process.argv[3] ?? "" },
  hears: (words) => appendFileSync(LOG, `${words}\n`),
});
const late = new Promise((resolve) => setTimeout(resolve, MILLISECONDS, "too late"));
const code = await Promise.race([window.exit.code, late]);
await window.close();
appendFileSync(LOG, window.log());
const ended = new Map();
for (const line of readFileSync(told, "utf-8").trim().split("\n")) {
  const each = JSON.parse(line);
  ended.set(each.name, each);
}
rmSync(folder, { recursive: true });
const all = [...ended.values()];
const failed = all.filter(({ seconds, problem }) => seconds === undefined || problem);
const heading = `${failed.length} of ${all.length} tests in VS Code failed (${code})`;
const names = [heading, ...failed.map(({ name }) => `  ${name}`)];
const reasons = failed.map(({ name, problem = "It had not ended." }) => `${name}: ${problem}`);
const times = all.map(({ name, seconds }) => `${seconds?.toFixed(1) ?? "?"} s  ${name}`);
const report =
  failed.length > 0 || code !== 0
    ? [...names, "", ...times, "", ...reasons, "", ...names, `See ${LOG}.`]
    : times;
process.stdout.write(`${report.join("\n")}\n`);
process.exit(code === 0 ? 0 : 1);

/** What stands in for the Python extension, which is not to be had without its marketplace. */
function packPythonExtension(vsix) {
  const program = join(CLIENT, "node_modules/@vscode/vsce/vsce");
  const plain = ["--no-dependencies", "--allow-missing-repository", "--skip-license"];
  const cwd = join(import.meta.dirname, "python-extension");
  execFileSync(process.execPath, [program, "package", ...plain, "--out", vsix], { cwd });
}
