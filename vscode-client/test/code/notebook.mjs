// A cell of a notebook is edited: of one that no editor shows, and of one that is shown, until there is
// typing in another of its cells: then neither an edit nor an undo is made over that.

import assert from "node:assert/strict";
import { resultOf } from "./model.mjs";

const [BEFORE, AFTER] = ["b = 2", "b = 20"];
const NOTEBOOK = written("a = 1", BEFORE);
const CHANGED = NOTEBOOK.replace(BEFORE, AFTER);

export const files = { "closed.ipynb": NOTEBOOK, "cells.ipynb": NOTEBOOK };

export async function story(stage) {
  const { model, turn, page } = stage;
  await stage.mode("Accept edits");
  // By its words: what VS Code draws again may stand elsewhere among the elements than on the screen.
  const cell = (words) =>
    page.locator(".notebook-editor .view-lines").getByText(words, { exact: true });
  const undo = turn.getByRole("button", { name: "Undo all of this turn's changes" });
  for (const path of ["closed.ipynb", "cells.ipynb"]) {
    if (path === "cells.ipynb") {
      await stage.open(path);
      await cell(BEFORE).waitFor();
    }
    await edit(path);
    await undo.click();
    await turn.getByText("Undone: what this turn changed").waitFor();
    await stage.holds(path, NOTEBOOK);
  }
  await cell(BEFORE).waitFor();

  await edit("cells.ipynb");
  await cell(AFTER).waitFor();
  assert.equal(await page.locator(".tab.dirty").count(), 0);
  await cell("a = 1").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("2");
  await page.locator(".tab.dirty").waitFor();
  await undo.click();
  const refused = page.getByText(/Not restored: cells.ipynb: .*must be saved first/);
  await refused.first().waitFor();
  await model.plays(...editing("cells.ipynb", AFTER, BEFORE));
  await stage.ask("Take it back.");
  await turn.getByText("Tried cells.ipynb").waitFor();
  const { requests } = await model.told();
  assert.match(resultOf(requests.at(-1), "Edit"), /cells\.ipynb has unsaved changes in its/);
  assert.equal(stage.onDisk("cells.ipynb"), CHANGED);
  await cell("a = 12").waitFor();
  await stage.picture("notebook-typed");
  await cell("a = 12").click();
  await page.keyboard.press("Control+S");
  await page.locator(".tab.dirty").waitFor({ state: "detached" });
  assert.equal(stage.onDisk("cells.ipynb"), CHANGED.replace("a = 1", "a = 12"));

  async function edit(path) {
    await model.plays(...editing(path, BEFORE, AFTER));
    await stage.ask("Make it twenty.");
    await turn.getByText(`Tried ${path}`).waitFor();
    await stage.holds(path, CHANGED);
  }
}

function editing(path, before, after) {
  return [
    [{ Read: { path } }],
    [{ Edit: { path, old_text: before, new_text: after } }],
    [`Tried ${path}.`],
  ];
}

/** A notebook as Jupyter writes it; its cells have these sources. */
function written(...sources) {
  const cells = sources.map((source, at) => {
    const id = `cell-${at}`;
    const empty = { execution_count: null, id, metadata: {}, outputs: [] };
    return { cell_type: "code", ...empty, source: [source] };
  });
  const metadata = { language_info: { name: "python" } };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
