import assert from "node:assert/strict";
import { test } from "node:test";
import { button, CHIP, harness, input, openBeforeEach, shown, skip } from "./harness/opened.ts";
import { ASKER, situation, stream, until } from "./harness/streams.ts";

openBeforeEach();

test("Enter sends, Shift+Enter begins a line, and the selection goes along", skip, async () => {
  await shown(situation({ selection: CHIP }));
  await input.fill("one");
  await input.press("Shift+Enter");
  await harness.page.keyboard.type("two");
  await input.press("Enter");
  const [asked, ...more] = await harness.said("ask");
  assert.equal(asked?.question, "one\ntwo");
  assert.deepEqual(asked?.attachments, [CHIP.attachment]);
  assert.deepEqual(more, []);
  assert.equal(await input.inputValue(), "");
  assert.equal(await harness.page.locator(".question-text").textContent(), "one\ntwo");
});

test("nothing is sent while a run is under way; Escape stops it", skip, async () => {
  await shown(...stream("answered").slice(0, 30));
  await input.fill("more");
  await input.press("Enter");
  assert.deepEqual(await harness.said("ask"), []);
  assert.equal(await input.inputValue(), "more");
  await input.press("Escape");
  assert.deepEqual(await harness.said("stop"), [{ type: "stop", runId: "answered" }]);
});

test("a sub-agent at work is stopped alone; one that has ended is not", skip, async () => {
  await shown(...stream("later").slice(0, 13));
  const stops = harness.page.getByRole("button", { name: /^Stop Explore/ });
  assert.equal(await stops.count(), 1);
  await stops.first().click();
  assert.deepEqual(await harness.said("stopAgent"), [{ type: "stopAgent", agentId: "a2" }]);
});

test("what a sub-agent did is shown from its card", skip, async () => {
  await shown(...stream("later"));
  await harness.page.locator(".agent .fold-head").first().click();
  await button("Show what it did").click();
  assert.deepEqual(await harness.said("showAgent"), [{ type: "showAgent", agentId: "a1" }]);
});

test("Up recalls earlier questions, Down leads back to what was written", skip, async () => {
  await shown(...stream("offline"), ...stream("asked"));
  await input.click();
  await input.press("ArrowUp");
  assert.equal(await input.inputValue(), "Add a currency.");
  await input.press("ArrowUp");
  assert.equal(await input.inputValue(), "Where is the tax added to a price?");
  await input.press("ArrowDown");
  await input.press("ArrowDown");
  assert.equal(await input.inputValue(), "");
});

test("completions by keyboard", skip, async () => {
  await shown();
  await input.click();
  await harness.page.keyboard.type("see @p");
  const asked = (await harness.said("complete")).at(-1);
  assert.equal(asked?.text, "@p");
  const item = { kind: "file", detail: "shop" } as const;
  await harness.tell({
    type: "completions",
    incomplete: false,
    number: asked?.number ?? 0,
    items: [
      { ...item, label: "prices.py", insert: "@prices.py" },
      { ...item, label: "paths.py", insert: "@paths.py" },
    ],
  });
  assert.equal(await harness.page.getByRole("option").count(), 2);
  await input.press("ArrowDown");
  assert.equal(await input.getAttribute("aria-activedescendant"), "completion-1");
  await input.press("Enter");
  assert.equal(await input.inputValue(), "see @paths.py ");
  assert.equal(await harness.page.getByRole("option").count(), 0);
  assert.deepEqual(await harness.said("ask"), []);
});

test("a late list of completions is not shown", skip, async () => {
  await shown();
  await input.click();
  await harness.page.keyboard.type("@pr");
  const items = [{ kind: "file", label: "x", detail: "", insert: "@x" }] as const;
  await harness.tell({ type: "completions", number: 1, items, incomplete: false });
  assert.equal(await harness.page.getByRole("option").count(), 0);
});

test("a review by keyboard: one part is left out, with a reason", skip, async () => {
  await shown(...until("edits", "review"));
  const out = button("Reject part 2");
  await out.press("Enter");
  assert.equal(await out.getAttribute("aria-pressed"), "true");
  await harness.page.locator(".review .field").fill("Round only what is shown.");
  await button("Accept 2 of 3 parts").press("Enter");
  const [answer] = await harness.said("reviewAnswer");
  assert.equal(answer?.answer.accepted.length, 2);
  assert.equal(answer?.answer.message, "Round only what is shown.");
  assert.equal(await harness.page.locator(".review").count(), 0);
});

test("an edit that was applied in part says which parts, and counts no others", skip, async () => {
  await shown(...stream("edits"));
  const card = harness.page.locator(".card.edit").first();
  assert.match((await card.textContent()) ?? "", /\+2 −2.*applied in part/);
  await card.locator(".fold-head").click();
  const left = card.locator(".hunk.left-out");
  assert.equal(await left.count(), 1);
  assert.match((await left.textContent()) ?? "", /left out.*round\(price \* /);
  await button("Open diff").first().click();
  const [opened] = await harness.said("openDiff");
  assert.equal(opened?.plan.hunks.length, 2);
});

test("of a long question the beginning is shown until one wants it all", skip, async () => {
  const asked = { runId: "r", question: `First.\n\n${"word ".repeat(100)}`, chips: [] };
  await shown({ type: "begun", asked });
  const bubble = harness.page.locator(".question-text");
  assert.equal(await bubble.textContent(), "First.Show all");
  await button("Show all").press("Enter");
  assert.match((await bubble.textContent()) ?? "", /word word .*Show less/);
});

test("a permission is denied with words", skip, async () => {
  await shown(...until("edits", "permission"));
  await button("Deny and say why…").click();
  await harness.page.keyboard.type("Not here.");
  await harness.page.keyboard.press("Enter");
  const [answer] = await harness.said("permissionAnswer");
  assert.deepEqual(answer?.answer, { choice: "deny", message: "Not here." });
});

test("a question of the model's is answered by one of its options", skip, async () => {
  await shown(...until("asked", "question"));
  await harness.page.getByRole("button", { name: /^Several/ }).press("Enter");
  const [answer] = await harness.said("questionAnswer");
  assert.deepEqual(answer?.answer, { chosen: ["Several"], words: "" });
});

test("several options, and words", skip, async () => {
  const options = ["a", "b", "c"].map((label) => ({ label, detail: "" }));
  await shown({
    type: "question",
    id: "q",
    question: { text: "Which?", options, several: true, ...ASKER },
  });
  await harness.page.getByRole("checkbox", { name: "c" }).press("Space");
  await harness.page.getByRole("checkbox", { name: "a" }).press("Space");
  await button("Answer").click();
  const [answer] = await harness.said("questionAnswer");
  assert.deepEqual(answer?.answer, { chosen: ["a", "c"], words: "" });
});

test("a citation opens its lines, and says how it stands", skip, async () => {
  await shown(...stream("later"));
  await button(
    "Source 2: server/second.py:10-14, contradicted by these lines. The lines say that the task is ended as well.",
  ).click();
  assert.deepEqual(await harness.said("open"), [
    { type: "open", uri: "file:///w/server/second.py", firstLine: 10, lastLine: 14 },
  ]);
});

test("code is copied and inserted as it is", skip, async () => {
  await shown(...stream("answered"));
  await harness.page.locator(".code [data-act=copy]").click();
  await harness.page.locator(".code [data-act=insert]").click();
  const code = "def gross(price):\n    return price * (1 + VAT)  # not 1 - VAT\n";
  assert.deepEqual(await harness.said("copy"), [{ type: "copy", text: code }]);
  assert.deepEqual(await harness.said("insert"), [{ type: "insert", text: code }]);
});

test("a question is edited and asked again", skip, async () => {
  await shown(...stream("offline"), ...stream("asked"));
  await button("Edit the question and ask again").first().click();
  assert.equal(await input.inputValue(), "Where is the tax added to a price?");
  await input.press("Enter");
  assert.equal((await harness.said("ask"))[0]?.insteadOf, "offline");
  assert.equal(await harness.page.locator(".turn").count(), 1);
});

test("sessions: search, rename, delete, resume by keyboard", skip, async () => {
  await shown();
  await button("Sessions").click();
  assert.equal((await harness.said("listSessions")).length, 1);
  const session = (id: string, title: string) => ({
    id,
    title,
    createdAt: "2026-01-01T10:00:00Z",
    updatedAt: "2026-01-01T10:00:00Z",
    turns: 1,
    running: false,
  });
  await harness.tell({
    type: "sessions",
    sessions: [session("1", "First prices"), session("2", "Till"), session("3", "Prices again")],
  });
  await harness.page.keyboard.type("pri");
  assert.equal(await harness.page.locator(".session").count(), 2);
  await button("Rename First prices").click();
  await harness.page.keyboard.type("Money");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("renameSession"), [
    { type: "renameSession", id: "1", title: "Money" },
  ]);
  await button("Delete Prices again").press("Enter"); // the extension asks whether it is meant
  assert.deepEqual(await harness.said("deleteSession"), [{ type: "deleteSession", id: "3" }]);
  await harness.page.locator(".session-search").click();
  await harness.page.keyboard.press("ArrowDown");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("resumeSession"), [{ type: "resumeSession", id: "1" }]);
  assert.equal(await harness.page.locator(".sessions").count(), 0);
});

test("the mode is chosen by keyboard", skip, async () => {
  await shown();
  await button("Mode: Ask").press("Enter");
  await harness.page.keyboard.press("ArrowDown");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("setMode"), [{ type: "setMode", mode: "acceptEdits" }]);
});

test("what was written and where one was outlives a reload", skip, async () => {
  const long = [...stream("offline"), ...stream("answered"), ...stream("later")];
  await shown(...long);
  await input.fill("half a quest");
  await harness.tell({ type: "compose", text: "", chips: [CHIP] });
  await harness.page.evaluate(async () => {
    const box = document.querySelector(".transcript");
    box?.scrollTo({ top: 300 });
    await new Promise((done) => setTimeout(done, 100));
  });
  const place = () =>
    harness.page.evaluate(() => {
      const box = document.querySelector(".transcript");
      const turns = [...document.querySelectorAll<HTMLElement>(".turn")];
      const first = turns.find(
        (turn) => turn.getBoundingClientRect().bottom > (box?.getBoundingClientRect().top ?? 0) + 4,
      );
      return `${first?.dataset["run"]} ${Math.round(first?.getBoundingClientRect().top ?? 0)}`;
    });
  const before = await place();
  await harness.page.reload();
  await shown(...long);
  assert.equal(await input.inputValue(), "half a quest");
  assert.equal(await harness.page.locator(".composer .chip").count(), 1);
  assert.equal(await place(), before);
});

test("a picture is pasted, files are dropped", skip, async () => {
  await shown();
  await harness.page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([1, 2, 3])], "a.png", { type: "image/png" }));
    const event = new ClipboardEvent("paste", {
      clipboardData: data,
      bubbles: true,
      cancelable: true,
    });
    document.querySelector("textarea")?.dispatchEvent(event);
    const dropped = new DataTransfer();
    dropped.setData("text/uri-list", "file:///w/a.py\r\nfile:///w/b.py");
    const drop = new DragEvent("drop", { dataTransfer: dropped, bubbles: true });
    document.querySelector(".transcript, .welcome")?.dispatchEvent(drop);
  });
  await harness.page.waitForFunction(
    () => (window as unknown as { said: unknown[] }).said.length >= 3,
  );
  assert.deepEqual(await harness.said("pasted"), [
    { type: "pasted", mime: "image/png", base64: "AQID" },
  ]);
  assert.deepEqual((await harness.said("dropped"))[0]?.uris, ["file:///w/a.py", "file:///w/b.py"]);
});

test("a screen reader is told of the answer and of what is asked", skip, async () => {
  const region = harness.page.locator("[aria-live=polite]");
  await shown(...until("edits", "permission"));
  assert.equal(await region.textContent(), "Permission needed: May Bash run?");
  await harness.tell(...stream("edits"));
  assert.match(
    (await region.textContent()) ?? "",
    /^Answer: Two of the three places are mended ; the tests/,
  );
});

test("every button has a name", skip, async () => {
  await shown(...stream("edits"), ...stream("later"), ...until("asked", "question"));
  const nameless = await harness.page.evaluate(() =>
    [...document.querySelectorAll("button, textarea, input, [role=img]")]
      .filter((each) => {
        const words = [...each.childNodes]
          .filter((node) => !(node instanceof Element && node.ariaHidden === "true"))
          .map((node) => node.textContent)
          .join("");
        return !(each.getAttribute("aria-label") || words.trim());
      })
      .map((each) => each.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(nameless, []);
});

test("nothing went wrong in all this", skip, async () => {
  assert.deepEqual(await harness.refused(), []);
  assert.deepEqual(harness.problems, []);
});

test("lines of a diff have no colour but their own", skip, async () => {
  await shown(...until("edits", "review"));
  const background = await harness.page
    .locator(".line code")
    .first()
    .evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.equal(background, "rgba(0, 0, 0, 0)");
});
