// Tools by the names that the model calls them by, which may be any. Nothing here knows of VS Code.

import { TOOLS } from "./wire.ts";

/** What a table says of a tool; undefined for one that is not in it, such as `constructor`. */
export function ofTool<T>(table: Readonly<Record<string, T>>, tool: string): T | undefined {
  return Object.hasOwn(table, tool) ? table[tool] : undefined;
}

/** What a tool is called for the user. */
export function toolName(tool: string): string {
  return ofTool(TOOLS, tool) ?? tool;
}
