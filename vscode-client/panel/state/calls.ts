// Tool calls in words: the arguments in one line, and which part of them is a path.

const MAIN = ["path", "pattern", "query", "command", "question", "name", "task", "url"] as const;
const LONG = 300;

/** The argument that tells most, then the short ones of the rest as `name: value`. */
export function oneLine(given: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(given).filter(([, value]) => isShown(value));
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
