// Finds a Python that can run the server.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { UserError } from "../result.ts";

/** The oldest Python that the server runs on. */
export const OLDEST = [3, 11] as const;

/** A Python that was found: its path, its version, and what named it. */
export interface Interpreter {
  readonly path: string;
  readonly version: readonly [major: number, minor: number];
  readonly source: string;
}

/** Somewhere to look: a path or a name on the PATH, and in words where it comes from. */
export interface Candidate {
  readonly path: string;
  readonly source: string;
}

/** Asks a program which Python it is; undefined if it is none. */
export type Probe = (path: string) => Promise<readonly [number, number] | undefined>;

const NAMES = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];
const VERSION = "import sys; print(*sys.version_info[:2])";
const SERVER_VERSION = "import glossator; print(glossator.__version__)";
const PROBE_MILLISECONDS = 10_000;
const run = promisify(execFile);

/** What is on the PATH, most usual first. */
export const ON_PATH: readonly Candidate[] = NAMES.map((path) => ({ path, source: "PATH" }));

/**
 * The first candidate that is new enough; a setting that names one that is not is an error, because
 * the user asked for it. Throws `UserError`.
 */
export async function findInterpreter(
  setting: string,
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  probe: Probe = pythonVersion,
): Promise<Interpreter> {
  if (setting) {
    return fromSetting(setting, await probe(setting));
  }
  const tooOld: string[] = [];
  for await (const { path, source } of candidates) {
    const version = await probe(path);
    if (version && isNewEnough(version)) {
      return { path, version, source };
    }
    if (version) {
      tooOld.push(`${path} is ${version.join(".")}`);
    }
  }
  const found = tooOld.length > 0 ? ` (${tooOld.join(", ")})` : "";
  throw new UserError(
    `Glossator needs Python ${OLDEST.join(".")} or newer, and none was found${found}. Install it, or` +
      " name one in the setting glossator.python.",
    "python",
  );
}

/** The version of the server that is installed in a Python; undefined if none can be run there. */
export async function serverVersion(python: string): Promise<string | undefined> {
  return await said(python, SERVER_VERSION);
}

function fromSetting(path: string, version: readonly [number, number] | undefined): Interpreter {
  if (!version) {
    throw new UserError(
      `${path}, named in the setting glossator.python, is not a Python that can be run. Correct the setting.`,
      "python",
    );
  }
  if (!isNewEnough(version)) {
    throw new UserError(
      `${path}, named in the setting glossator.python, is Python ${version.join(".")}; Glossator needs` +
        ` ${OLDEST.join(".")} or newer. Name another one.`,
      "python",
    );
  }
  return { path, version, source: "the setting glossator.python" };
}

function isNewEnough([major, minor]: readonly [number, number]): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

async function pythonVersion(path: string): Promise<readonly [number, number] | undefined> {
  const [major, minor] = ((await said(path, VERSION)) ?? "").split(" ").map(Number);
  return Number.isInteger(major) && Number.isInteger(minor)
    ? [major as number, minor as number]
    : undefined;
}

/** What a program of one line prints; `-I` keeps the current folder and the environment out of it. */
async function said(path: string, program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["-I", "-c", program], { timeout: PROBE_MILLISECONDS });
    return stdout.trim();
  } catch {
    return undefined; // nothing of that name, no Python, or no such module
  }
}
