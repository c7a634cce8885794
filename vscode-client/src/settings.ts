// The user's settings, as the server takes them.

import { extensions, type Uri, workspace } from "vscode";
import {
  type EncodingRule,
  encodingRules,
  type FolderEncodings,
  type Language,
} from "./encodings.ts";

const SECTION = "glossator";
/** Settings of this extension, which the server does not know. */
const OURS: ReadonlySet<string> = new Set(["python", "edits.openDiff", "edits.showChanges"]);

/** All that the server starts with, as the user has set it. */
export function startSettings(manifest: unknown): object {
  return {
    python: pythonSetting(),
    encodings: editorEncodings(),
    ...serverSettings(manifest),
  };
}

/** The Python that the user names; empty if none. */
export function pythonSetting(): string {
  const named = workspace.getConfiguration(SECTION).inspect<string>("python")?.globalValue;
  return typeof named === "string" ? named.trim() : "";
}

/** Whether the diff of an edit that waits for the user opens by itself. */
export function opensDiffs(): boolean {
  return workspace.getConfiguration(SECTION).get("edits.openDiff", true);
}

/** Which documents are saved once they are edited: those that were before, all, or none. */
export function savesEdits(): "clean" | "always" | "never" {
  const named = workspace.getConfiguration(SECTION).inspect<string>("edits.save")?.globalValue;
  return named === "always" || named === "never" ? named : "clean";
}

/** Whether what runs change is marked in editors until it is kept or undone. */
export function showsChanges(): boolean {
  return workspace.getConfiguration(SECTION).get("edits.showChanges", true);
}

/**
 * What the user has set, and nothing else: the server has its own defaults. Settings of a workspace
 * are not looked at, since opening a folder must not change where the code is sent.
 */
export function serverSettings(manifest: unknown): object {
  const configuration = workspace.getConfiguration(SECTION);
  return nested(
    settingNames(manifest)
      .filter((name) => !OURS.has(name))
      .map((name) => [name, configuration.inspect(name)?.globalValue] as const),
  );
}

/**
 * The encodings of files that are not open, by VS Code's own settings. Those of a workspace count,
 * since VS Code reads its files by them; they change only how bytes that are no UTF-8 are read.
 */
export function editorEncodings(): EncodingRule[] {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const languages = extensions.all.flatMap(
    ({ packageJSON }): Language[] => packageJSON?.contributes?.languages ?? [],
  );
  return encodingRules(
    folders.map(({ uri }) => encodingsOf(uri)),
    languages,
  );
}

function encodingsOf(uri: Uri): FolderEncodings {
  const files = workspace.getConfiguration("files", uri);
  const encoding = files.get("encoding", "utf8");
  const own = (languageId: string) =>
    workspace.getConfiguration("files", { uri, languageId }).get("encoding", encoding);
  const ids = files.inspect("encoding")?.languageIds ?? [];
  return {
    folder: uri.fsPath,
    encoding,
    ofLanguages: new Map(ids.map((id) => [id, own(id)])),
    associations: files.get("associations", {}),
  };
}

/** `a.b.c` where it belongs; what is not set is left out. */
export function nested(values: ReadonlyArray<readonly [name: string, value: unknown]>): object {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of values) {
    if (value !== undefined) {
      put(settings, name.split("."), value);
    }
  }
  return settings;
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

/** Whether the user wants no model to be asked. */
export function isOfflineWanted(): boolean {
  return workspace.getConfiguration("glossator").get<boolean>("models.offline") === true;
}
