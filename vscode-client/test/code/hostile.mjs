// An answer that would run, load or open something, if it were let.

import assert from "node:assert/strict";

const SAMPLES = [
  "<script>top.hit = window.hit = 1</script>",
  "<img src=x onerror='window.hit=1'><img src='https://evil.example/html.png'>",
  "<iframe src='https://evil.example/frame'></iframe><style>@import 'https://evil.example/s'</style>",
  "![remote](https://evil.example/remote.png)",
  "![data](data:image/svg+xml,<svg/onload=window.hit=1>)",
  "[command](command:workbench.action.terminal.new)",
  "[script](javascript:window.hit=1) [data](data:text/html,<script>parent.hit=1</script>)",
  "[file](file:///etc/passwd) [vscode](vscode://evil.example/x)",
  '```mermaid\nflowchart LR\n  a["<img src=https://evil.example/label.png onerror=window.hit=1>"]\n  click a href "javascript:window.hit=1"\n```',
];

export async function story(stage) {
  const { model, turn, page } = stage;
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await model.plays([`${SAMPLES.join("\n\n")}\n\nThat was all.`]);
  await stage.ask("Try everything.");
  await turn.getByText("That was all.").waitFor();
  await turn.locator(".diagram").waitFor();
  const links = await turn.locator(".markdown a").evaluateAll((all) => all.map(({ href }) => href));
  assert.deepEqual(
    links.filter((href) => !href.startsWith("https://evil.example/")),
    [],
    "what can be followed leads to the web, and only when it is clicked",
  );
  for (const name of ["command", "script", "data", "file", "vscode"]) {
    await turn.getByText(`[${name}](`).first().click();
  }
  const elements = "script, iframe, style, object, svg, img:not(.diagram)";
  assert.equal(await turn.locator(elements).count(), 0);
  await stage.picture("hostile-answer");
  const hits = await Promise.all(page.frames().map((frame) => frame.evaluate(() => window.hit)));
  assert.deepEqual(
    hits.filter((hit) => hit !== undefined),
    [],
  );
  assert.equal(await page.locator(".terminal-wrapper, .tab").count(), 0);
  assert.deepEqual(
    asked.filter((url) => url.includes("evil.example")),
    [],
  );
}
