// The API key: in VS Code's secret storage, and in the server's environment; nowhere else.

import { env, type SecretStorage, ThemeIcon, Uri, window } from "vscode";

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

/** Where keys are made. */
export const KEYS_PAGE = "https://console.anthropic.com/settings/keys";
const OF_SUBSCRIPTION = "sk-ant-oat"; // begins what Claude Code logs in with
const WHAT_WORKS =
  "A key of the Anthropic API: the button above opens the page that makes one. Claude subscriptions" +
  " (Pro, Max, Team) have none; Bedrock, Vertex, Foundry and proxies are settings (glossator.models).";

/** Ask for the key and keep it; an empty one is forgotten. True if it changed. */
export async function askForKey(secrets: SecretStorage): Promise<boolean> {
  const kept = await secrets.get(KEY);
  const key = await typedKey(
    kept
      ? "Takes the place of the key that is kept. Leave it empty to forget that one."
      : `${WHAT_WORKS} It is kept in this machine's secret storage.`,
  );
  if (key === undefined || key.trim() === (kept ?? "")) {
    return false;
  }
  await (key.trim() ? secrets.store(KEY, key.trim()) : secrets.delete(KEY));
  return true;
}

/** What is typed, or undefined if the box was closed. */
async function typedKey(prompt: string): Promise<string | undefined> {
  const box = window.createInputBox();
  box.title = "Glossator: API key";
  box.prompt = prompt;
  box.placeholder = "sk-ant-…";
  box.password = true;
  box.ignoreFocusOut = true;
  box.buttons = [{ iconPath: new ThemeIcon("link-external"), tooltip: "Get a Key" }];
  const typed = await new Promise<string | undefined>((resolve) => {
    box.onDidTriggerButton(() => void env.openExternal(Uri.parse(KEYS_PAGE)));
    box.onDidChangeValue((value) => {
      box.validationMessage = value.trim().startsWith(OF_SUBSCRIPTION)
        ? "This is the login of a Claude subscription, which the Anthropic API does not take."
        : undefined;
    });
    box.onDidAccept(() => resolve(box.value));
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  box.dispose();
  return typed;
}

/** Whether the server is given a key, from here or from the environment. */
export async function hasKey(secrets: SecretStorage): Promise<boolean> {
  return Boolean((await secrets.get(KEY)) || process.env[VARIABLE]);
}
