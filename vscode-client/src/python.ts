// The Pythons of this machine, the likeliest first.

import { extensions, type LogOutputChannel, type Uri, workspace } from "vscode";
import { messageOf } from "./result.ts";
import { type Candidate, ON_PATH } from "./server/interpreter.ts";

const PYTHON_EXTENSION = "ms-python.python";

type Log = Pick<LogOutputChannel, "warn">;

/** The part of the Python extension's API that is used. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: Uri } } | undefined>;
  };
}

/** The Python extension's active environment, where there is one, then what is on the PATH. */
export async function* candidates(log: Log): AsyncIterable<Candidate> {
  const active = await activeEnvironment(log);
  if (active) {
    yield { path: active, source: "the Python extension" };
  }
  yield* ON_PATH;
}

/** It may lie in the workspace, from where nothing is run unless the user trusts it. */
async function activeEnvironment(log: Log): Promise<string | undefined> {
  const extension = extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  if (!extension || !workspace.isTrusted) {
    return undefined;
  }
  try {
    const { environments } = await extension.activate();
    const chosen = environments.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
    return (await environments.resolveEnvironment(chosen))?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension reported no environment: ${messageOf(error)}`);
    return undefined; // it is broken, or of another make: the PATH will do
  }
}
