// Runs the tests of host.ts in a real VS Code: node host.mjs PYTHON. Ends with their exit code.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { demoFolder, twoFolders } from "./demo.mjs";
import { openWindow } from "./window.mjs";

const CLIENT = join(import.meta.dirname, "../..");
const MILLISECONDS = 420_000; // after which it hangs

const folder = mkdtempSync("/tmp/host-");
const workspace = twoFolders(demoFolder(join(folder, "shop")));
const vsix = join(folder, "python.vsix");
packPythonExtension(vsix);
const extension = join(folder, "glossator"); // the window watches all that lies there
cpSync(CLIENT, extension, { recursive: true, filter: (path) => !path.includes("node_modules") });
const window = await openWindow({
  workspace,
  vsix,
  extension,
  tests: join(extension, "dist/code/host.cjs"),
  settings: { "glossator.python": process.argv[2], "glossator.models.offline": true },
});
const late = new Promise((resolve) => setTimeout(resolve, MILLISECONDS, "too late"));
const code = await Promise.race([window.exit.code, late]);
await window.close();
rmSync(folder, { recursive: true });
process.stdout.write(`in VS Code: ${code}\n`);
process.exit(code === 0 ? 0 : 1);

/** What stands in for the Python extension, which is not to be had without its marketplace. */
function packPythonExtension(vsix) {
  const program = join(CLIENT, "node_modules/@vscode/vsce/vsce");
  const plain = ["--no-dependencies", "--allow-missing-repository", "--skip-license"];
  const cwd = join(import.meta.dirname, "python-extension");
  execFileSync(process.execPath, [program, "package", ...plain, "--out", vsix], { cwd });
}
