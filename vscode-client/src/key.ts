// The API key: in VS Code's secret storage, and in the server's environment; nowhere else.

import { type SecretStorage, window } from "vscode";

/** The secret's name. */
export const KEY = "glossator.apiKey";
const VARIABLE = "ANTHROPIC_API_KEY";

/** The environment of the server: ours, with the key if there is one. */
export async function withKey(
  secrets: SecretStorage,
  environment: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  const key = await secrets.get(KEY);
  return key ? { ...environment, [VARIABLE]: key } : { ...environment };
}

/** Ask for the key and keep it; an empty one is forgotten. True if it changed. */
export async function askForKey(secrets: SecretStorage): Promise<boolean> {
  const kept = await secrets.get(KEY);
  const key = await window.showInputBox({
    title: "Glossator: API key",
    prompt: kept
      ? "Takes the place of the key that is kept. Leave it empty to forget that one."
      : "Kept in this machine's secret storage, and given to the server alone.",
    placeHolder: "sk-…",
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === (kept ?? "")) {
    return false;
  }
  await (key.trim() ? secrets.store(KEY, key.trim()) : secrets.delete(KEY));
  return true;
}

/** Whether the server is given a key, from here or from the environment. */
export async function hasKey(secrets: SecretStorage): Promise<boolean> {
  return Boolean((await secrets.get(KEY)) || process.env[VARIABLE]);
}
