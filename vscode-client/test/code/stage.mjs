// What a story has at hand: the window, the panel in it, the model, and the folder that is open.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { again, pick, runCommand, webview } from "./gestures.mjs";

const MILLISECONDS = 10_000;

/** One window, for the stories that are told in it. */
export class Stage {
  constructor({ window, model, workspace, pictures, python }) {
    this.window = window;
    this.page = window.page;
    this.model = model;
    this.workspace = workspace;
    this.pictures = pictures;
    this.python = python;
  }

  /** The content of the chat panel. */
  get panel() {
    return webview(this.page);
  }

  /** The turn that was begun last. */
  get turn() {
    return this.panel.locator(".turn").last();
  }

  /** Wait until the server can be asked. */
  async ready() {
    const status = this.page.locator("[id*='glossator.status']", { hasText: /offline|claude/ });
    await status.first().waitFor({ timeout: 90_000 });
  }

  /** A new session, and no editor open. */
  async clear() {
    await runCommand(this.page, "View: Close All Editors");
    await this.begin();
  }

  /** A new session. */
  async begin() {
    await runCommand(this.page, "Glossator: New Session");
    await this.panel.getByText("Ask your workspace").waitFor();
  }

  /** Keep a picture of the window. */
  async picture(name) {
    await this.page.screenshot({ path: join(this.pictures, `${name}.png`) });
  }

  /** Choose a colour theme by its name, and wait until the panel has it. */
  async theme(name, id = name) {
    await this.page.keyboard.press("Control+K");
    await pick(this.page, "Control+T", name, name);
    await this.panel.locator(`body[data-vscode-theme-id="${id}"]`).waitFor();
  }

  /** Give the side bar with the panel this width, in pixels. */
  async widen(pixels) {
    const side = await this.page.locator(".part.sidebar").boundingBox();
    const y = side.y + side.height / 3;
    await this.#drag({ x: side.x + side.width + 1, y }, { x: side.x + pixels, y });
    await this.page.mouse.move(side.x + pixels / 2, y);
  }

  /** Give the view below the chat this height, in pixels. */
  async heighten(name, pixels) {
    const header = this.page.locator(`.pane-header[aria-label^="${name}"]`);
    const side = await this.page.locator(".part.sidebar").boundingBox();
    const { x: left, y, width } = await header.boundingBox();
    const x = left + width / 2;
    await this.#drag({ x, y }, { x, y: side.y + side.height - pixels });
    await this.page.mouse.move(x, side.y + side.height - pixels / 2);
  }

  async #drag(from, to) {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(to.x, to.y, { steps: 4 });
    await mouse.up(); // the edge glows as long as the mouse is on it
  }

  /** Write a question and send it. */
  async ask(question) {
    await runCommand(this.page, "Glossator: Ask");
    const box = this.panel.locator("textarea").first();
    await box.fill(question);
    await box.press("Enter");
  }

  /** Set the mode, by its menu below the question. */
  async mode(name) {
    await again(async (timeout) => {
      await this.panel.getByRole("button", { name: "Mode:" }).click();
      const item = this.panel.getByRole("menuitemradio", { name: new RegExp(`^${name}`) });
      await item.click({ timeout }); // the box of the question may take the focus, which closes it
    });
    await this.panel.getByRole("button", { name: `Mode: ${name}` }).waitFor();
  }

  /** Have the mode that a story counts on, whatever was chosen before it, or is set for others. */
  async usually(mode = "ask") {
    const name = { ask: "Ask", acceptEdits: "Accept edits", plan: "Plan", auto: "Auto" }[mode];
    if (
      (await this.panel.getByRole("button", { name: `Mode: ${name}`, exact: true }).count()) < 1
    ) {
      await this.mode(name);
    }
  }

  /** Open a file of the workspace, with the cursor in it. */
  async open(path) {
    await pick(this.page, "Control+P", path, path);
    await this.page.locator(".tab.active", { hasText: path }).first().waitFor();
  }

  /** Select whole lines of the open editor, 1-based and inclusive. */
  async select(firstLine, lastLine) {
    await again(async (timeout) => {
      await this.goTo(firstLine);
      for (let line = firstLine; line <= lastLine; line++) {
        await this.page.keyboard.press("Shift+ArrowDown"); // lost where the focus is on its way back
      }
      await this.at(`Ln ${lastLine + 1}, Col 1 (`, { timeout });
    });
  }

  /** Put the cursor at the beginning of a line of the open editor. */
  async goTo(line) {
    await pick(this.page, "Control+G", `:${line}`, `${line}`);
    await this.at(`Ln ${line}, Col 1`);
  }

  /** Wait until the status bar says that the cursor is there. */
  async at(place, options) {
    const status = this.page.locator("[id='status.editor.selection']");
    await status.filter({ hasText: place }).first().waitFor(options);
  }

  /** The lines that the open editor shows. */
  async shown() {
    const lines = await this.page.locator(".editor-instance .view-line").evaluateAll((all) =>
      all
        .map((line) => ({
          top: line.offsetTop,
          text: line.textContent.replaceAll("\u00a0", " "),
        }))
        .sort((one, other) => one.top - other.top),
    );
    return lines.map(({ text }) => text).join("\n");
  }

  /** Wait until the open editor shows just this text. */
  async shows(text) {
    await becomes(() => this.shown(), text);
  }

  /** Wait until the file holds just this text on disk. */
  async holds(path, text) {
    await becomes(() => this.onDisk(path), text);
  }

  /** Click where something is, without scrolling the boxes around it as `click` may. */
  async clickAt(locator) {
    await locator.waitFor();
    const { x, y, width, height } = await locator.boundingBox();
    await this.page.mouse.click(x + width / 2, y + height / 2);
  }

  /** Press keys in the open editor. */
  async press(...keys) {
    await this.page.locator(".editor-instance .view-lines").first().click();
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Save the open editor. */
  async save() {
    await again(async (timeout) => {
      await this.press("Control+S");
      await this.page.locator(".tab.dirty").first().waitFor({ state: "detached", timeout });
    });
  }

  /** What the file holds on disk. */
  onDisk(path) {
    return readFileSync(join(this.workspace, path), "utf-8");
  }
}

async function becomes(look, wanted) {
  const end = performance.now() + MILLISECONDS;
  let seen = await look();
  while (seen !== wanted && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen = await look(); // once: the editor may be drawing anew a moment later
  }
  assert.equal(seen, wanted);
}
