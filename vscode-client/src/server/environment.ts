// The extension's own virtual environment, with the server in it.
//
// It is made anew when the wheels of the extension or the Python have changed, beside the old one,
// and takes its place when it is whole; what is half made is never used.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../result.ts";
import type { Interpreter } from "./interpreter.ts";

const run = promisify(execFile);
const STAMP = "glossator.stamp";
const MINUTES = 60_000;
const INSTALL_MILLISECONDS = 15 * MINUTES;
const OUTPUT_BYTES = 10_000_000;

/** Shows the user that something takes a while, and how far it is. */
export interface Progress {
  during<T>(work: (report: (step: string) => void) => Promise<T>): PromiseLike<T>;
}

/** Where things are: `storage` is the extension's own folder, `wheels` came with the extension. */
export interface Places {
  readonly storage: string;
  readonly wheels: string;
}

/** The Python of the environment, which is made if it is not there. Throws `UserError`. */
export async function ensureEnvironment(
  interpreter: Interpreter,
  places: Places,
  progress: Progress,
): Promise<string> {
  const stamp = await stampOf(interpreter, places.wheels);
  const folder = join(places.storage, "server");
  if (!(await isCurrent(folder, stamp))) {
    await progress.during((report) => make(interpreter, places, folder, stamp, report));
  }
  return pythonIn(folder);
}

async function make(
  interpreter: Interpreter,
  places: Places,
  folder: string,
  stamp: string,
  report: (step: string) => void,
): Promise<void> {
  const fresh = `${folder}.new`;
  try {
    await mkdir(places.storage, { recursive: true });
    await rm(fresh, { recursive: true, force: true });
    report("Making a Python environment");
    await python(interpreter.path, ["-m", "venv", fresh]);
    report("Installing the server");
    await install(pythonIn(fresh), places.wheels);
    await writeFile(join(fresh, STAMP), stamp);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw new UserError(`The server could not be installed: ${reason(error)}`);
  }
}

/** From the wheels that came along; what is not among them comes from the user's package index. */
async function install(path: string, wheels: string): Promise<void> {
  const lock = join(wheels, "requirements.lock");
  const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"];
  const links = ["--find-links", wheels];
  await python(path, [...pip, ...links, "--require-hashes", "--only-binary", ":all:", "-r", lock]);
  const own = (await readdir(wheels)).filter((name) => name.startsWith("glossator-"));
  await python(path, [...pip, "--no-index", "--no-deps", ...own.map((name) => join(wheels, name))]);
}

async function python(path: string, args: readonly string[]): Promise<void> {
  const options = {
    timeout: INSTALL_MILLISECONDS,
    maxBuffer: OUTPUT_BYTES,
    env: plainEnvironment(),
  };
  await run(path, ["-I", ...args], options);
}

/** Without what would lead Python to packages of somebody else's. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONPATH: _path, PYTHONHOME: _home, VIRTUAL_ENV: _venv, ...rest } = process.env;
  return rest;
}

async function stampOf(interpreter: Interpreter, wheels: string): Promise<string> {
  const names = (await readdir(wheels)).sort();
  const lock = await readFile(join(wheels, "requirements.lock"));
  const parts = [interpreter.path, ...interpreter.version, ...names];
  return createHash("sha256").update(parts.join(delimiter)).update(lock).digest("hex");
}

async function isCurrent(folder: string, stamp: string): Promise<boolean> {
  try {
    await access(pythonIn(folder));
    return (await readFile(join(folder, STAMP), "utf8")) === stamp;
  } catch {
    return false; // never made, or taken away
  }
}

function pythonIn(folder: string): string {
  return process.platform === "win32"
    ? join(folder, "Scripts", "python.exe")
    : join(folder, "bin", "python");
}

/** The last lines of what pip or venv said, with a next step. */
function reason(error: unknown): string {
  const said = String((error as { stderr?: unknown }).stderr ?? error).trim();
  const last = said.split("\n").slice(-3).join(" ");
  const venv = /ensurepip|No module named venv/.test(said);
  const step = venv
    ? "Install your system's package for virtual environments (python3-venv on Debian)"
    : "See the output of Glossator, check the network and the disk";
  return `${last} ${step}, and run "Glossator: Restart Server".`;
}
