// A browser with the panel in it. The library that drives it is the one of the tests in VS Code.

import { createRequire } from "node:module";
import type { ToHost, ToPanel } from "../../../src/panel/messages.ts";
import { addressOf, serve } from "./page.ts";

/** As much as is used of a locator of playwright-core. */
export interface Locator {
  click(options?: object): Promise<void>;
  hover(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  waitFor(options?: object): Promise<void>;
  count(): Promise<number>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  evaluate<T>(act: (element: HTMLElement) => T): Promise<T>;
  first(): Locator;
  last(): Locator;
  nth(at: number): Locator;
  locator(selector: string, options?: object): Locator;
  filter(options: object): Locator;
  getByRole(role: string, options?: object): Locator;
  getByText(words: string | RegExp, options?: object): Locator;
  getByPlaceholder(words: string | RegExp): Locator;
  allTextContents(): Promise<string[]>;
}

/** What a page asks for. */
interface Request {
  url(): string;
  failure(): { readonly errorText: string } | null;
}

/** In pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** As much as is used of a page. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  evaluate<T, A>(act: (argument: A) => T | Promise<T>, argument?: A): Promise<T>;
  evaluate(script: string): Promise<unknown>;
  waitForFunction<A>(act: (argument: A) => unknown, argument?: A): Promise<unknown>;
  setViewportSize(size: Size): Promise<void>;
  viewportSize(): Size | null;
  screenshot(options: { path: string }): Promise<unknown>;
  locator(selector: string, options?: object): Locator;
  getByRole(role: string, options?: object): Locator;
  getByText(text: string | RegExp, options?: object): Locator;
  on(name: "request" | "requestfailed", heard: (request: Request) => void): void;
  on(name: "console", heard: (said: { text(): string; type(): string }) => void): void;
  on(name: "pageerror", heard: (error: Error) => void): void;
  setDefaultTimeout(milliseconds: number): void;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  readonly mouse: {
    move(x: number, y: number): Promise<void>;
    wheel(x: number, y: number): Promise<void>;
  };
}

interface Chromium {
  launch(
    options: object,
  ): Promise<{ newPage(options?: object): Promise<Page>; close(): Promise<void> }>;
}

/** What the fake extension has in the page. */
interface Played {
  readonly said: ToHost[];
  readonly refused: string[];
  /** Begin a fresh panel. */
  again(): void;
}

const CACHE = process.env["CODE_CACHE"];

const CLASSES = {
  dark: "vscode-dark",
  "dark-modern": "vscode-dark",
  light: "vscode-light",
  contrast: "vscode-high-contrast",
  "contrast-light": "vscode-high-contrast-light vscode-high-contrast",
  "solarized-light": "vscode-light",
} as const;

/** A theme of `themes`. */
export type Theme = keyof typeof CLASSES;

/** The themes in which everything is to be read; Solarized's own colours are too pale for that. */
export const THEMES = (Object.keys(CLASSES) as Theme[]).filter(
  (each) => each !== "solarized-light",
);

/** Why no browser can be had, or false: what node:test takes as `skip`. */
export const NO_BROWSER =
  CACHE === undefined ? "set CODE_CACHE to the folder that setup.sh was given" : false;

/** How a panel is opened; sizes are in pixels. */
export interface Opening {
  readonly width?: number;
  readonly height?: number;
  readonly loaded?: boolean;
}

/** The panel in a page. */
export class Harness {
  /** Since the panel was opened: what the page asked for, by its path, of other hosts the whole address. */
  readonly requests: string[] = [];
  /** What went wrong in it since then. */
  readonly problems: string[] = [];

  #opened = 0;
  #repeats = false; // the page that is there

  private constructor(
    readonly page: Page,
    readonly address: string,
    readonly close: () => Promise<void>,
  ) {
    page.setDefaultTimeout(30_000);
    const wanted = (request: Request) => {
      const url = new URL(request.url());
      return url.origin === address ? url.pathname : url.href;
    };
    page.on("request", (request) => this.requests.push(wanted(request)));
    page.on("requestfailed", (request) => {
      if (request.failure()?.errorText === "csp") {
        this.requests.splice(this.requests.lastIndexOf(wanted(request)), 1); // it never left
      }
    });
    page.on("console", (event) => {
      if (event.type() === "error" || event.type() === "warning") {
        this.problems.push(event.text());
      }
    });
    page.on("pageerror", (event) => this.problems.push(event.message));
  }

  /** A browser; to be closed. It finds no other host. */
  static async begin(): Promise<Harness> {
    const { chromium } = createRequire(`${CACHE}/glossator-code/`)("playwright-core") as {
      chromium: Chromium;
    };
    const server = await serve();
    const browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      ],
    });
    const page = await browser.newPage({ reducedMotion: "reduce" });
    const close = async () => {
      await browser.close();
      server.close();
    };
    return new Harness(page, addressOf(server), close);
  }

  /**
   * A fresh panel: begun again in the page that is there, which costs a tenth; or `loaded`, in a page
   * of its own and with its script as it is shipped.
   */
  async open({ width = 400, height = 700, loaded = false }: Opening = {}): Promise<void> {
    const size = this.page.viewportSize();
    if (size?.width !== width || size.height !== height) {
      await this.page.setViewportSize({ width, height });
    }
    this.requests.length = 0;
    this.problems.length = 0;
    if (this.#repeats && !loaded) {
      await this.page.mouse.move(0, 0); // away from what it would hover over
      await this.page.evaluate((kind) => {
        document.documentElement.dataset["theme"] = "dark";
        document.body.className = kind;
        (window as unknown as Played).again();
      }, CLASSES.dark);
    } else {
      this.#opened += 1;
      await this.page.goto(`${this.address}/${loaded ? "" : "again"}?${this.#opened}`);
      await this.theme("dark");
    }
    this.#repeats = !loaded;
  }

  /** Another theme, as VS Code changes it: in the page that is there. */
  async theme(name: Theme): Promise<void> {
    await this.page.evaluate(
      ([theme, kind]) => {
        document.documentElement.dataset["theme"] = theme;
        document.body.className = kind;
      },
      [name, CLASSES[name]] as const,
    );
  }

  /** The extension says these. */
  async tell(...messages: readonly ToPanel[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const message of all) {
        window.dispatchEvent(new MessageEvent("message", { data: message }));
      }
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    }, messages);
  }

  /** What the panel said so far, of one type. */
  async said<T extends ToHost["type"]>(type: T): Promise<Extract<ToHost, { type: T }>[]> {
    const all = await this.page.evaluate(() => (window as unknown as Played).said);
    return all.filter((each): each is Extract<ToHost, { type: T }> => each.type === type);
  }

  /** As `said`, once there are so many: what follows a key is said after the next drawing. */
  async saidTimes<T extends ToHost["type"]>(
    type: T,
    times: number,
  ): Promise<Extract<ToHost, { type: T }>[]> {
    let all = await this.said(type);
    while (all.length < times) {
      await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      all = await this.said(type);
    }
    return all;
  }

  /** What the page's policy refused. */
  async refused(): Promise<readonly string[]> {
    return await this.page.evaluate(() => (window as unknown as Played).refused);
  }
}
