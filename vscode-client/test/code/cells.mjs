// Cells of notebooks are edited as cells: of one that no editor shows, in its file; of one that is shown, in
// the notebook, where what is typed in another cell stays, nothing is saved that the user has not, and
// VS Code's own undo takes it back. The card shows the cell before and after.

import assert from "node:assert/strict";
import { resultOf } from "./model.mjs";

const [BEFORE, AFTER] = ["b = 2", "b = 20"];
const NOTEBOOK = written(["a = 1", BEFORE]);
const CHANGED = NOTEBOOK.replace(BEFORE, AFTER);

export const files = { "closed.ipynb": NOTEBOOK, "cells.ipynb": NOTEBOOK };

export async function story(stage) {
  const { model, panel, turn, page } = stage;
  // By its words: what VS Code draws again may stand elsewhere among the elements than on the screen.
  const cell = (words) =>
    page
      .locator(".notebook-editor .view-lines")
      .getByText(words, { exact: true })
      .filter({ visible: true });
  const changed = page.locator(".cell-status-item:visible", { hasText: "Changed by Glossator" });
  const undo = turn.getByRole("button", { name: "Undo all of this turn's changes" });
  await stage.mode("Accept edits");
  for (const path of ["closed.ipynb", "cells.ipynb"]) {
    if (path === "cells.ipynb") {
      await stage.open(path);
      await cell(BEFORE).waitFor();
    }
    await edit(path, { Edit: { path, old_text: BEFORE, new_text: AFTER } });
    await stage.holds(path, CHANGED);
    await undo.click();
    await turn.getByText("Undone: what this turn changed").waitFor();
    await stage.holds(path, NOTEBOOK);
  }
  await cell(BEFORE).waitFor();
  await page.locator(".tab.dirty").first().waitFor({ state: "detached" });

  await stage.mode("Ask");
  await cell("a = 1").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("2");
  await page.locator(".tab.dirty").waitFor();
  const asked = edit("cells.ipynb", {
    NotebookEdit: { path: "cells.ipynb", cell: 2, source: `${AFTER}\nprint(b)` },
  });
  const card = panel.locator(".permission");
  await card.getByText("# cell 2 (code)").first().waitFor();
  await stage.picture("cells-card");
  await card.getByText("Allow once").click();
  await asked;
  await cell("print(b)").waitFor();
  await cell("a = 12").waitFor();
  assert.match(resultOf((await model.told()).requests.at(-1), "Read"), /a = 12/);
  assert.equal(stage.onDisk("cells.ipynb"), NOTEBOOK);
  await stage.picture("cells");

  await stage.mode("Accept edits");
  await edit("cells.ipynb", {
    NotebookEdit: { path: "cells.ipynb", cell: 2, mode: "insert", source: "a + b" },
  });
  await cell("a + b").waitFor();
  await changed.first().waitFor();
  assert.equal(await changed.count(), 1); // what was allowed on the card is not asked about again
  await stage.picture("cells-more");
  await undo.click();
  await turn.getByText("Undone: what this turn changed").waitFor();
  await changed.first().waitFor({ state: "detached" });
  await cell("print(b)").click();
  await page.keyboard.press("Control+Z");
  await cell(BEFORE).waitFor();
  await cell("a = 12").waitFor();
  await page.keyboard.press("Control+S");
  await page.locator(".tab.dirty").waitFor({ state: "detached" });
  await stage.holds("cells.ipynb", NOTEBOOK.replace("a = 1", "a = 12"));

  await edit(
    "cells.ipynb",
    { NotebookEdit: { path: "cells.ipynb", cell: 1, source: "a = 13" } },
    { NotebookEdit: { path: "cells.ipynb", cell: 2, source: AFTER } },
  );
  const item = (words) => page.locator(".cell-status-item:visible", { hasText: words });
  await item(/^\W*Undo$/)
    .nth(1)
    .waitFor();
  await stage.picture("cells-each");
  await item(/^\W*Undo$/)
    .last()
    .click();
  await cell(BEFORE).waitFor();
  await cell("a = 13").waitFor();
  await item(/^\W*Undo$/)
    .first()
    .waitFor({ state: "detached" }); // one cell is left
  await item("Keep All").first().click();
  await changed.first().waitFor({ state: "detached" });
  await stage.holds("cells.ipynb", NOTEBOOK.replace("a = 1", "a = 13"));

  async function edit(path, ...calls) {
    const line = stage
      .onDisk("cells.ipynb")
      .split("\n")
      .findIndex((each) => each.includes("b = 2"));
    const cite = `[cite: doc, ${path}, L${line + 1}]`;
    await model.plays([{ Read: { path } }], ...calls.map((call) => [call]), [
      `Tried ${path}. b was two ${cite}.`,
    ]);
    await stage.ask("Make it twenty.");
    await turn.getByText(`Tried ${path}`).waitFor();
  }
}

/** A notebook as Jupyter writes it; its code cells have these sources. */
function written(sources) {
  const cells = sources.map((source, at) => {
    const id = `cell-${at}`;
    const empty = { execution_count: null, id, metadata: {}, outputs: [] };
    return { cell_type: "code", ...empty, source: [source] };
  });
  const metadata = { language_info: { name: "python" } };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
