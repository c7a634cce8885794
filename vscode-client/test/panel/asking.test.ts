// What a question is about, and how the panel stays usable while others act: completions that come
// late, chips, commands' questions, the focus, and what is dropped.

import assert from "node:assert/strict";
import type { ToHost } from "../../src/panel/messages.ts";
import { button, CHIP, harness, input, panelTest, shown } from "./harness/opened.ts";
import { NEW, SESSION, situation } from "./harness/streams.ts";

panelTest("completions are asked for again as long as there may be more", async () => {
  await shown();
  await input.click();
  await harness.page.keyboard.type("@s");
  const none = { type: "completions", items: [], incomplete: true } as const;
  const first = (await harness.said("complete")).at(-1);
  assert.ok(first);
  await harness.tell({ ...none, number: first.number });
  while ((await harness.said("complete")).length < 3) {
    await harness.tell(); // a frame goes by
  }
  const item = { kind: "file", label: "shop.py", detail: "", insert: "@shop.py" } as const;
  assert.deepEqual((await harness.said("complete")).at(-1), first);
  await harness.tell({ ...none, number: first.number, items: [item], incomplete: false });
  await input.press("Enter");
  assert.equal(await input.inputValue(), "@shop.py ");
  assert.equal((await harness.said("complete")).length, 3);
});

panelTest("two pictures of one name are two", async () => {
  const pictures = ["one", "two", "one"].map((name) => ({
    label: "pasted.png",
    attachment: { uri: `file:///g/${name}.png` },
  }));
  await shown(...pictures.map((chip) => ({ type: "compose", text: "", chips: [chip] }) as const));
  assert.equal(await harness.page.locator(".composer .chip").count(), 2);
  await input.fill("What is on them?");
  await input.press("Enter");
  const [asked] = await harness.said("ask");
  assert.deepEqual(
    asked?.attachments.map(({ uri }) => uri),
    ["file:///g/one.png", "file:///g/two.png"],
  );
});

panelTest("lines that are selected and a chip already are sent once", async () => {
  await shown(situation({ selection: CHIP }), { type: "compose", text: "Why?", chips: [CHIP] });
  await input.press("Enter");
  assert.deepEqual((await harness.said("ask"))[0]?.attachments, [CHIP.attachment]);
});

panelTest("a command's question is shown with what it is about, at once and once", async () => {
  const asked = { runId: "r", question: "Explain these lines.", chips: [CHIP] };
  await shown({ type: "begun", asked }, { type: "begun", asked });
  assert.equal(await harness.page.locator(".turn").count(), 1);
  assert.equal(
    await harness.page.locator(".turn .chip-label span:last-child").textContent(),
    CHIP.label,
  );
});

panelTest("a server of one's own needs no key, and is not called offline", async () => {
  await harness.tell(situation({ hasKey: false, offline: false }), NEW);
  assert.equal(await harness.page.locator(".welcome .key").count(), 0);
  await harness.tell(situation({ hasKey: false, offline: true }));
  assert.equal(await harness.page.locator(".welcome .key").count(), 1);
});

panelTest("after a new title, or a deletion, the keyboard goes on in the list", async () => {
  await shown();
  await button("Sessions").click();
  await harness.tell({ type: "sessions", sessions: [SESSION], words: "" });
  const focused = () => harness.page.evaluate(() => document.activeElement?.className);
  for (const key of ["Escape", "Enter"]) {
    await button(`Rename ${SESSION.title}`).press("Enter");
    await harness.page.keyboard.press(key);
    assert.equal(await focused(), "session");
  }
  await button(`Delete ${SESSION.title}`).press("Enter");
  await harness.tell({ type: "sessions", sessions: [], words: "" });
  assert.match((await focused()) ?? "", /session-search/);
});

panelTest("words that are dropped stay words; files that cannot be read are told of", async () => {
  await shown();
  const drop = (kind: "words" | "file") =>
    harness.page.evaluate((what) => {
      const data = new DataTransfer();
      if (what === "words") {
        data.setData("text/plain", "hello");
      } else {
        data.items.add(new File(["x"], "x.zip", { type: "application/zip" }));
      }
      const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      return document.querySelector("textarea")?.dispatchEvent(event);
    }, kind);
  assert.equal(await drop("words"), true);
  assert.deepEqual(await harness.said("dropped"), []);
  assert.equal(await drop("file"), false);
  assert.deepEqual(await harness.said("dropped"), [{ type: "dropped", uris: [] }]);
});

panelTest(
  "a panel that has the focus as it begins says so, after it is ready",
  async () => {
    const said = await harness.page.evaluate(() => (window as unknown as { said: ToHost[] }).said);
    assert.deepEqual(
      said.map(({ type }) => type),
      ["ready", "focused"],
    );
  },
  { loaded: true },
);
