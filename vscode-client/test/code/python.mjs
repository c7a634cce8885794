// A Python that is given to the extension instead of the one with the server.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** One that runs a module of the tests in front of the server; in all else it is `python`. */
export function pythonWith(module, python) {
  const path = join(mkdtempSync(join(tmpdir(), "python-")), "python");
  const program = [
    "#!/bin/sh",
    'case "$*" in',
    `*"-m glossator.lsp"*) cd ${ROOT} && exec ${python} -m ${module} ${python} "$@" ;;`,
    `*) exec ${python} "$@" ;;`,
    "esac",
  ];
  writeFileSync(path, `${program.join("\n")}\n`, { mode: 0o755 });
  return path;
}
