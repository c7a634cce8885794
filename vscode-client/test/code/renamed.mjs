// VS Code's own TypeScript extension is asked: who uses a method whose name another class has, too, and
// how it is renamed, in 31 files, none of which is open. The card shows all of it, a key allows it, the turn is undone as one.

import assert from "node:assert/strict";
import { tabTo } from "./gestures.mjs";
import { resultOf } from "./model.mjs";

const SHAPES = `export class Circle {
  constructor(readonly radius: number) {}

  area(): number {
    return Math.PI * this.radius ** 2;
  }
}

export class Square {
  constructor(readonly side: number) {}

  area(): number {
    return this.side ** 2;
  }
}
`;
const USES = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [
    `renamed/page-${String(at + 1).padStart(2, "0")}.ts`,
    `import { Circle, Square } from "./shapes";

const circle = new Circle(${at + 1});
export const circles = [circle.area(), circle.area() * 2];

export const squares = new Square(${at + 1}).area();
`,
  ]),
);
export const files = {
  "renamed/tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "es2020" } }\n',
  "renamed/shapes.ts": SHAPES,
  ...USES,
};
const CODE = Object.keys(files).filter((path) => path.endsWith(".ts"));

export async function story(stage) {
  const { model, page, panel, turn } = stage;
  await model.plays(
    [{ Symbols: { name: "Circle.area", mode: "references" } }],
    [{ Rename: { name: "Circle.area", new_name: "surface" } }],
    ["A circle has a surface now."],
  );
  await stage.ask("Call the area of a circle its surface.");

  const card = panel.locator(".permission");
  await card.waitFor();
  await card.getByText("Rename Circle.area to surface in 31 files?").waitFor();
  await stage.picture("renamed-asked");
  const { requests } = await model.told();
  const found = resultOf(requests.at(-1), "Symbols");
  assert.match(found, /by VS Code/);
  assert.equal(found.match(/\[call in circles\]/g).length, 30);
  assert.doesNotMatch(found, /squares = /);
  assert.match(found, /also named so, and not counted: Square\.area/);
  assert.equal(await card.locator(".hunk").count(), 31);
  await card.getByRole("button", { name: "Open diff" }).click();
  await page.locator(".tab.active", { hasText: "Rename Circle.area to surface" }).waitFor();
  await page.locator(".monaco-diff-editor .view-line", { hasText: "surface" }).first().waitFor();
  await stage.picture("renamed-diff");
  await page.keyboard.press("Control+Alt+G");
  await panel.locator(".composer textarea:focus").waitFor();
  await tabTo(page, card, "Shift+Tab");
  await page.keyboard.press("1");
  await turn.getByText("A circle has a surface now").waitFor();
  await stage.picture("renamed");
  for (const path of CODE) {
    await stage.holds(path, renamed(path));
  }
  const { requests: all } = await model.told();
  assert.match(resultOf(all.at(-1), "Rename"), /^Renamed .* on 31 lines of 31 files\./);

  await turn.getByRole("button", { name: "Undo all of this turn's changes" }).click();
  await turn.getByText("Undone: what this turn changed").waitFor();
  await stage.picture("renamed-undone");
  for (const path of CODE) {
    await stage.holds(path, files[path]);
  }
}

/** What a file holds once the method of circles has its new name. */
function renamed(path) {
  const text = files[path];
  return text === SHAPES
    ? text.replace("area", "surface")
    : text.replaceAll("circle.area", "circle.surface");
}
