// Tool calls in words: the arguments in one line, and which part of them is a path.

const MAIN = ["path", "pattern", "query", "command", "question", "name", "task", "url"] as const;
const LONG = 300;

/** The argument that tells most (of lines to read, which), then the short ones of the rest as `name: value`. */
export function oneLine(given: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(withLines(given)).filter(([, value]) => isShown(value));
  const main = MAIN.map((name) => entries.find(([key]) => key === name)).find(Boolean);
  const rest = entries.filter((entry) => entry !== main && isShort(entry[1]));
  return [
    ...(main ? [words(main[1])] : []),
    ...rest.map(([name, value]) => `${name}: ${words(value)}`),
  ]
    .join(" · ")
    .slice(0, LONG);
}

/** The place a call is about, for opening it. */
export function placeOf(given: Readonly<Record<string, unknown>>): {
  readonly path: string;
  readonly line: number;
} | null {
  const path = given["path"];
  const offset = given["offset"];
  return typeof path === "string" && path !== ""
    ? { path, line: typeof offset === "number" && offset > 0 ? offset : 1 }
    : null;
}

/** `path`, `offset` and `limit` as `path:first-last`. */
function withLines(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { path, offset, limit, ...rest } = given;
  if (typeof path !== "string" || typeof offset !== "number") {
    return given;
  }
  const last = typeof limit === "number" ? offset + limit - 1 : "";
  return { path: last === offset ? `${path}:${offset}` : `${path}:${offset}-${last}`, ...rest };
}

function isShown(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && value !== false;
}

function isShort(value: unknown): boolean {
  return typeof value !== "object" && words(value).length <= 60;
}

function words(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/\s+/g, " ").trim();
}
