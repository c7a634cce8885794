import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pythonWithServer } from "../../src/server/environment.ts";
import { findInterpreter } from "../../src/server/interpreter.ts";

const OWN = "glossator-0.1.0-py3-none-any.whl";

let folder = "";
let steps: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "environment-"));
  steps = [];
  mkdirSync(join(folder, "wheels"));
  carry("requirements.lock", OWN);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a package for all platforms takes what it needs from the index, by its hashes", async () => {
  await prepared();
  const [first, own] = installs();
  assert.match(first ?? "", /--require-hashes --only-binary :all: -r \S+requirements\.lock/);
  assert.doesNotMatch(first ?? "", /--no-index/);
  assert.match(own ?? "", /--no-index --no-deps \S+glossator-0\.1\.0-py3-none-any\.whl/);
  assert.match(steps.at(-1) ?? "", /^Installing \(a minute, once\)/);
});

test("a package for one platform is unpacked, without pip", async () => {
  carry("packages_3.11.zip", "packages_3.11_3.12.zip", "packages_3.12.zip");
  await prepared();
  assert.deepEqual(installs(), []);
  const [made, unpacked] = told().filter((line) => /-m venv|zipfile/.test(line));
  assert.match(made ?? "", /-m venv --without-pip/);
  const names = [...(unpacked ?? "").matchAll(/wheels\/(\S+)/g)].map(([, name]) => name);
  assert.deepEqual(names, ["packages_3.11.zip", "packages_3.11_3.12.zip", OWN]);
  assert.equal(steps.at(-1), "Unpacking the server");
});

for (const [why, name, refuses] of [
  ["of another version", "packages_3.12.zip", ""],
  ["that cannot import its packages", "packages_3.11.zip", "import cryptography"],
] as const) {
  test(`a Python ${why} asks the index, and says so`, async () => {
    carry(name);
    await prepared(refuses);
    assert.equal(installs().length, 2);
    assert.match(steps.at(-1) ?? "", /^Installing \(a minute, once\)/);
  });
}

test("any other failure is told", async () => {
  carry("packages_3.11.zip");
  await assert.rejects(prepared("zipfile", "No space left on device"), {
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

/**
 * The environment's Python, made by a program that does what Python would, and keeps what it was told.
 * It fails at a line with the words `refuses`, and says `why`.
 */
async function prepared(refuses = "", why = ""): Promise<string> {
  const program = join(folder, "python");
  writeFileSync(
    program,
    `#!/bin/sh
echo $* >>"${join(folder, "told")}"
case "$*" in
  *"${refuses || "nothing"}"*) echo "${why}" >&2; exit 1 ;;
  *"-m venv "*) for place; do :; done; mkdir -p "$place/bin" && cp "$0" "$place/bin/python" ;;
  *--no-deps*|*zipfile*) touch "$0-has-server" ;;
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
  return told().filter((line) => line.includes("pip install"));
}

function told(): string[] {
  return readFileSync(join(folder, "told"), "utf8").split("\n");
}
