// The extension's own virtual environment, with the server in it.
//
// Its folder is named by what is installed, so another version of the extension makes another one
// and nothing that is in use is changed. It is made beside its place and moved there when it is
// whole; what is half made is never used. See docs/decisions/0028 and 0075.

import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../result.ts";
import { type Interpreter, serverVersion } from "./interpreter.ts";

const run = promisify(execFile);
const LOCK = "requirements.lock";
const PREFIX = "server-";
const OWN = "glossator-"; // begins the name of the server's own wheel
const PACKAGES = "packages"; // begins the names of archives of what it needs: packages_3.12_3.13.zip
const UNPACK = `import sys, sysconfig, zipfile
for archive in sys.argv[1:]:
    with zipfile.ZipFile(archive) as packages:
        packages.extractall(sysconfig.get_path("platlib"))`;
// Compiled packages that need most of the system, and of each Python an own file.
const IMPORT = "import cryptography.fernet, numpy, pydantic, pyroaring, tantivy, tree_sitter";
const KEY_CHARACTERS = 16;
const INSTALL_MILLISECONDS = 15 * 60_000;
const UNUSED_MILLISECONDS = 14 * 24 * 60 * 60_000; // after which another version's folder goes
const OUTPUT_BYTES = 10_000_000;
// Python compiles what it imports, which is little of all that is installed.
const QUIETLY = ["--disable-pip-version-check", "--no-input", "--quiet", "--no-compile"];

/** Shows the user that something takes a while, and how far it is. */
export interface Progress {
  during<T>(work: (report: (step: string) => void) => Promise<T>): PromiseLike<T>;
}

/** What is wanted, and where: `storage` is the extension's own folder, `wheels` came with it. */
export interface Wanted {
  readonly storage: string;
  readonly wheels: string;
  /** Of the server, which is also the extension's. */
  readonly version: string;
  /** The Python that the user names; empty: any will do. */
  readonly setting: string;
}

/**
 * The Python with the server in it. The one that the user names is used as it is if the server is
 * installed there; else the environment is, which is made if it is not there. Throws `UserError`.
 */
export async function pythonWithServer(
  wanted: Wanted,
  find: () => Promise<Interpreter>,
  progress: Progress,
): Promise<string> {
  if (wanted.setting && (await serverVersion(wanted.setting)) === wanted.version) {
    return wanted.setting;
  }
  const named = wanted.setting ? await find() : undefined; // what is wrong with it is said first
  const folder = join(wanted.storage, PREFIX + (await keyOf(wanted)));
  const python = pythonIn(folder);
  if ((await serverVersion(python)) !== wanted.version) {
    const interpreter = named ?? (await find());
    await progress.during((report) => make(interpreter, wanted, folder, report));
  }
  await forgetUnused(wanted.storage, folder);
  return python;
}

async function make(
  interpreter: Interpreter,
  wanted: Wanted,
  folder: string,
  report: (step: string) => void,
): Promise<void> {
  const fresh = join(wanted.storage, `making-${randomUUID()}`);
  const version = interpreter.version.join(".");
  try {
    await mkdir(wanted.storage, { recursive: true });
    report(`Making an environment with Python ${version}`);
    const archives = await carried(wanted.wheels, version);
    if (archives.length === 0 || !(await unpack(interpreter.path, fresh, archives, report))) {
      await rm(fresh, { recursive: true, force: true });
      await python(interpreter.path, ["-m", "venv", fresh]);
      await install(pythonIn(fresh), wanted.wheels, report);
    }
    await takePlace(fresh, folder, wanted.version);
  } catch (error) {
    throw new UserError(`The server could not be installed: ${reason(error)}`, "output");
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What came along for this Python; nothing in a package for all platforms, or for another Python. */
async function carried(wheels: string, version: string): Promise<string[]> {
  const names = await readdir(wheels);
  const archives = names.filter((name) => {
    const [prefix, ...pythons] = name.replace(/\.zip$/, "").split("_");
    return prefix === PACKAGES && pythons.includes(version);
  });
  const own = names.filter((name) => name.startsWith(OWN)); // a wheel is a zip, too
  return archives.length > 0 ? [...archives, ...own].map((name) => join(wheels, name)) : [];
}

/** Make the environment of what came along. False if it is of no use to this Python. */
async function unpack(
  interpreter: string,
  fresh: string,
  archives: readonly string[],
  report: (step: string) => void,
): Promise<boolean> {
  await python(interpreter, ["-m", "venv", "--without-pip", fresh]);
  report("Unpacking the server");
  await python(pythonIn(fresh), ["-c", UNPACK, ...archives]);
  return await isUsable(pythonIn(fresh));
}

/** Whether compiled packages can be imported: another system or build of Python may lack what they need. */
async function isUsable(path: string): Promise<boolean> {
  try {
    await python(path, ["-c", IMPORT]);
    return true;
  } catch {
    return false;
  }
}

/** Another window may have been quicker. */
async function takePlace(fresh: string, folder: string, version: string): Promise<void> {
  if ((await serverVersion(pythonIn(folder))) !== version) {
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  }
}

/** What the server needs, from the user's package index; the server itself came along. */
async function install(
  path: string,
  wheels: string,
  report: (step: string) => void,
): Promise<void> {
  const pip = ["-m", "pip", "install", ...QUIETLY];
  const pinned = ["--require-hashes", "--only-binary", ":all:", "-r", join(wheels, LOCK)];
  report("Installing (a minute, once)…");
  await python(path, [...pip, ...pinned]);
  const own = (await readdir(wheels)).filter((name) => name.startsWith(OWN));
  await python(path, [...pip, "--no-index", "--no-deps", ...own.map((name) => join(wheels, name))]);
}

async function python(path: string, args: readonly string[]): Promise<void> {
  const env = withoutPython(process.env);
  await run(path, ["-I", ...args], {
    env,
    timeout: INSTALL_MILLISECONDS,
    maxBuffer: OUTPUT_BYTES,
  });
}

/** Without what would lead Python to packages of somebody else's. */
function withoutPython(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PYTHONPATH: _path, PYTHONHOME: _home, VIRTUAL_ENV: _venv, ...rest } = environment;
  return rest;
}

/** A hash of our own files (the lock file names the rest) and of the Python named. */
async function keyOf(wanted: Wanted): Promise<string> {
  const hash = createHash("sha256").update(wanted.setting);
  for (const name of await ownFiles(wanted)) {
    hash.update(name).update(await readFile(join(wanted.wheels, name)));
  }
  return hash.digest("hex").slice(0, KEY_CHARACTERS);
}

async function ownFiles(wanted: Wanted): Promise<string[]> {
  try {
    const names = await readdir(wanted.wheels);
    return names.filter((name) => name === LOCK || name.startsWith(OWN)).sort();
  } catch {
    throw new UserError(
      "This copy of the extension comes without its server. Install a packaged one, or name a Python" +
        ` that has glossator ${wanted.version} in the setting glossator.python.`,
      "python",
    );
  }
}

/** Other versions' environments go once nobody has used them for a while; ours was used now. */
async function forgetUnused(storage: string, ours: string): Promise<void> {
  const now = new Date();
  await utimes(ours, now, now);
  for (const name of await readdir(storage)) {
    const folder = join(storage, name);
    const isEnvironment = name.startsWith(PREFIX) || name.startsWith("making-");
    const unused = now.getTime() - (await stat(folder)).mtimeMs;
    if (isEnvironment && folder !== ours && unused > UNUSED_MILLISECONDS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function pythonIn(folder: string): string {
  return process.platform === "win32"
    ? join(folder, "Scripts", "python.exe")
    : join(folder, "bin", "python");
}

/** The last lines that pip or venv printed, with a next step. */
function reason(error: unknown): string {
  const text = said(error);
  const last = text.split("\n").slice(-3).join(" ");
  const step = /ensurepip|No module named venv/.test(text)
    ? "Install your system's package for virtual environments (python3-venv on Debian)"
    : "Look at Glossator's output, check the network and the disk";
  return `${last} ${step}, and run "Glossator: Restart Server".`;
}

function said(error: unknown): string {
  const { stderr, stdout } = error as { stderr?: unknown; stdout?: unknown };
  return [stderr, stdout].filter(Boolean).join("\n").trim() || String(error);
}
