// Runs the tests of host.ts in a real VS Code: node host.mjs PYTHON. Ends with their exit code.

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { demoFolder } from "./demo.mjs";
import { openWindow } from "./window.mjs";

const CLIENT = join(import.meta.dirname, "../..");
const MILLISECONDS = 180_000;

const workspace = demoFolder(mkdtempSync("/tmp/host-"));
const window = await openWindow({
  workspace,
  extension: CLIENT,
  tests: join(CLIENT, "dist/code/host.cjs"),
  settings: { "glossator.python": process.argv[2], "glossator.models.offline": true },
});
const late = new Promise((resolve) => setTimeout(resolve, MILLISECONDS, "too late"));
const code = await Promise.race([window.exit.code, late]);
await window.close();
rmSync(workspace, { recursive: true });
process.stdout.write(`in VS Code: ${code}\n`);
process.exit(code === 0 ? 0 : 1);
