// What will go with a question is shown above the input before it is sent.

import assert from "node:assert/strict";
import type { Going } from "../../src/wire.ts";
import { CHIP, harness, input, panelTest, shown } from "./harness/opened.ts";
import { situation } from "./harness/streams.ts";

const strip = () => harness.page.locator("[data-fold='strip going']");
const NOWHERE = { uri: null, firstLine: null, lastLine: null };
const PARTS: readonly Going[] = [
  {
    kind: "instructions",
    name: "AGENTS.md",
    why: "an instruction file of the project",
    tokens: 900,
    ...NOWHERE,
    uri: "file:///ws/AGENTS.md",
  },
  { kind: "fact", name: "`net` adds the tax.", why: "prices.py:3", tokens: 40, ...NOWHERE },
  { kind: "fact", name: "`gross` does, too.", why: "prices.py:7", tokens: 60, ...NOWHERE },
  { kind: "mentioned", name: "@terminal", why: "looked at as you send", tokens: null, ...NOWHERE },
];

async function asked(number: number) {
  const said = await harness.saidTimes("preview", number);
  assert.equal(said.length, number);
  return said.at(-1);
}

panelTest("what goes along is looked up in pauses, and can be unfolded", async () => {
  await shown(situation({ selection: CHIP }));
  await input.fill("Why?");
  const question = await asked(1);
  assert.deepEqual([question?.question, question?.attachments], ["Why?", [CHIP.attachment]]);
  const answer = { parts: PARTS, tokens: 1000, problems: ["gone.py cannot be read."] };
  await harness.tell({ type: "preview", number: question?.number ?? 0, answer });
  await strip().getByText("Goes along: AGENTS.md, 2 facts, 1 mention").waitFor();
  await strip().getByText("1k tokens").waitFor();
  await strip().locator(".fold-head").press("Enter");
  assert.equal(await strip().locator(".going li").count(), 5);
  await strip().locator(".going .link").click();
  assert.equal((await harness.said("open"))[0]?.uri, "file:///ws/AGENTS.md");
});

panelTest(
  "an older answer does not replace a newer one, and nothing written has none",
  async () => {
    await shown();
    await input.fill("Why");
    const first = await asked(1);
    await input.fill("Why now");
    const second = await asked(2);
    const answer = (name: string) => ({
      parts: [{ kind: "instructions" as const, name, why: "", tokens: 1, ...NOWHERE }],
      tokens: 1,
      problems: [],
    });
    await harness.tell({ type: "preview", number: second?.number ?? 0, answer: answer("new.md") });
    await harness.tell({ type: "preview", number: first?.number ?? 0, answer: answer("old.md") });
    await strip().getByText("new.md").waitFor();
    await input.fill("");
    await strip().waitFor({ state: "detached" });
  },
);
