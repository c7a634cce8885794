// What a terminal showed, as text: the end of what each of its last commands printed.

/** Characters that are kept of one command. */
export const MOST = 20_000;
/** Commands that are kept of one terminal. */
export const COMMANDS = 3;

const LOST = "[it ended too fast for VS Code to pass on what it printed]";
// An escape sequence takes room, too; and the kept end may begin within one.
const RAW = 2 * MOST;
const ESC = "\u001b";
const FULL_SCREEN = new RegExp(`${ESC}\\[\\?1049h[^]*?(?:${ESC}\\[\\?1049l|$)`, "g");
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\)|[ -/]*[0-~])`,
  "g",
);
const OVERWRITTEN = /[^\n]*\r(?!\n)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** One command: what was typed, what it printed so far, and how it ended. */
export class Recorded {
  #raw = "";
  #ended = "";

  constructor(private readonly command: string) {}

  /** More output, with its escape sequences. */
  add(data: string): void {
    this.#raw = (this.#raw + data).slice(-RAW);
  }

  /** It ended; VS Code does not always know with which code. */
  end(code: number | undefined): void {
    this.#ended = code === undefined ? "[ended]" : `[exit code ${code}]`;
  }

  /** As a person sees it. */
  get text(): string {
    const output = this.#lost ? LOST : plain(this.#raw).trimEnd().slice(-MOST);
    const end = this.#ended || "[still running]";
    return [`$ ${this.command}`, ...(output ? [output] : []), end].join("\n");
  }

  /** VS Code passes a mark on even of a command without output, but nothing of one that ends at once. */
  get #lost(): boolean {
    return this.#raw === "" && this.#ended !== "";
  }
}

/** A terminal's output without escape sequences, full-screen programs and overwritten lines. */
export function plain(raw: string): string {
  return raw
    .replace(FULL_SCREEN, "")
    .replace(ESCAPES, "")
    .replaceAll("\r\n", "\n")
    .replace(OVERWRITTEN, "")
    .replace(CONTROL, "");
}
