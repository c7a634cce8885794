// The API key: in VS Code's secret storage, and in the server's environment; nowhere else.

import { type SecretStorage, window } from "vscode";

const NAME = "glossator.apiKey";
const VARIABLE = "ANTHROPIC_API_KEY";

/** The environment of the server: ours, with the key if there is one. */
export async function withKey(
  secrets: SecretStorage,
  environment: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  const key = await secrets.get(NAME);
  return key ? { ...environment, [VARIABLE]: key } : { ...environment };
}

/** Ask for the key and keep it; an empty one is forgotten. True if it changed. */
export async function askForKey(secrets: SecretStorage): Promise<boolean> {
  const key = await window.showInputBox({
    title: "Glossator: API key",
    prompt: "Kept in this machine's secret storage. Leave it empty to forget the key.",
    placeHolder: "sk-…",
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined) {
    return false;
  }
  await (key.trim() ? secrets.store(NAME, key.trim()) : secrets.delete(NAME));
  return true;
}

/** Whether a key is kept. */
export async function hasKey(secrets: SecretStorage): Promise<boolean> {
  return (await secrets.get(NAME)) !== undefined;
}
