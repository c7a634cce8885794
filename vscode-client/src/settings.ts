// The user's settings, as the server takes them.

import { type ConfigurationScope, workspace } from "vscode";

const SECTION = "glossator";
/** Settings of this extension, which the server does not know. */
const OURS = new Set(["python"]);

/** A setting of the extension itself. */
export function ownSetting(name: "python"): string {
  return workspace.getConfiguration(SECTION).get<string>(name, "").trim();
}

/**
 * What the user has set, and nothing else: the server has its own defaults. Settings of a workspace
 * are not looked at, since opening a folder must not change where the code is sent.
 */
export function serverSettings(names: readonly string[], scope?: ConfigurationScope): object {
  const configuration = workspace.getConfiguration(SECTION, scope);
  const settings: Record<string, unknown> = {};
  for (const name of names) {
    const value = OURS.has(name) ? undefined : configuration.inspect(name)?.globalValue;
    if (value !== undefined) {
      put(settings, name.split("."), value);
    }
  }
  return settings;
}

/** Put `a.b.c` where it belongs. */
function put(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) {
    return;
  }
  if (rest.length === 0) {
    settings[name] = value;
    return;
  }
  const inner = (settings[name] ?? {}) as Record<string, unknown>;
  settings[name] = inner;
  put(inner, rest, value);
}

/** The names of all settings in the manifest, without the section. */
export function settingNames(manifest: unknown): string[] {
  const { contributes } = manifest as {
    contributes?: { configuration?: ReadonlyArray<{ properties: object }> };
  };
  const groups = contributes?.configuration ?? [];
  return groups
    .flatMap((group) => Object.keys(group.properties))
    .map((name) => name.slice(SECTION.length + 1));
}
