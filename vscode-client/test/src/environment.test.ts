import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pythonWithServer } from "../../src/server/environment.ts";
import { findInterpreter } from "../../src/server/interpreter.ts";

const OFFLINE = "--no-index --find-links";
const MISSING = "ERROR: No matching distribution found for numpy==2.4.6";

let folder = "";
let steps: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "environment-"));
  steps = [];
  mkdirSync(join(folder, "wheels"));
  carry("requirements.lock", "glossator-0.1.0-py3-none-any.whl");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a package for all platforms takes what it needs from the index, by its hashes", async () => {
  await prepared();
  const [first, own] = installs();
  assert.match(first ?? "", /--require-hashes --only-binary :all: -r \S+requirements\.lock/);
  assert.doesNotMatch(first ?? "", /--no-index/);
  assert.match(own ?? "", /--no-index --no-deps \S+glossator-0\.1\.0-py3-none-any\.whl/);
  assert.match(steps.at(-1) ?? "", /from your package index/);
});

test("a package for one platform needs no network", async () => {
  carry("numpy-2.4.6-cp311-cp311-linux_x86_64.whl");
  await prepared();
  assert.equal(installs().length, 2);
  assert.ok(installs().every((line) => line.includes("--no-index")));
  assert.doesNotMatch(steps.join(), /index/);
});

test("for a Python that its wheels are not for it asks the index, and says so", async () => {
  carry("numpy-2.4.6-cp311-cp311-linux_x86_64.whl");
  await prepared(MISSING);
  assert.equal(installs().filter((line) => line.includes(OFFLINE)).length, 1);
  assert.equal(installs().length, 3);
  assert.match(steps.at(-1) ?? "", /from your package index/);
});

test("any other failure is told", async () => {
  carry("numpy-2.4.6-cp311-cp311-linux_x86_64.whl");
  await assert.rejects(prepared("No space left on device"), {
    name: "UserError",
    message: /could not be installed: No space left on device .*"Glossator: Restart Server"/,
  });
});

test("the environment is made once for what is installed", async () => {
  const first = await prepared();
  assert.equal(await prepared(), first);
  assert.equal(installs().length, 2);
  writeFileSync(join(folder, "wheels", "requirements.lock"), "other");
  assert.notEqual(await prepared(), first);
});

test("what is wrong with a Python that the user names is said first, whatever came along", async () => {
  rmSync(join(folder, "wheels"), { recursive: true });
  const old = join(folder, "old");
  writeFileSync(old, "#!/bin/sh\necho 3 9\n", { mode: 0o755 });
  const wanted = {
    storage: folder,
    wheels: join(folder, "wheels"),
    version: "0.1.0",
    setting: old,
  };
  const made = pythonWithServer(wanted, () => findInterpreter(old, []), {
    during: (work) => work((step) => steps.push(step)),
  });
  await assert.rejects(made, {
    name: "UserError",
    message: /is Python 3\.9; Glossator needs 3\.11/,
  });
});

function carry(...names: string[]): void {
  for (const name of names) {
    writeFileSync(join(folder, "wheels", name), name);
  }
}

/** The environment's Python, made by a program that does what Python would, and keeps what it was told. */
async function prepared(offline = ""): Promise<string> {
  const program = join(folder, "python");
  writeFileSync(
    program,
    `#!/bin/sh
echo "$*" >>"${join(folder, "told")}"
case "$*" in
  *"-m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  *"${OFFLINE}"*) [ -z "${offline}" ] || { echo "${offline}" >&2; exit 1; } ;;
  *--no-deps*) touch "$0-has-server" ;;
  *__version__*) [ -e "$0-has-server" ] && echo 0.1.0 ;;
esac
`,
  );
  chmodSync(program, 0o755);
  const wanted = {
    storage: join(folder, "storage"),
    wheels: join(folder, "wheels"),
    version: "0.1.0",
    setting: "",
  };
  const found = async () => ({ path: program, version: [3, 11] as const, source: "PATH" });
  return await pythonWithServer(wanted, found, {
    during: (work) => work((step) => steps.push(step)),
  });
}

/** The lines with which pip was run. */
function installs(): string[] {
  const lines = readFileSync(join(folder, "told"), "utf8").split("\n");
  return lines.filter((line) => line.includes("pip install"));
}
