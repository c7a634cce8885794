import assert from "node:assert/strict";
import type { ToPanel } from "../../src/panel/messages.ts";
import type { Citation, Event } from "../../src/wire.ts";
import { THEMES } from "./harness/browser.ts";
import { answerable, button, CHIP, harness, input, panelTest, shown } from "./harness/opened.ts";
import { ASKER, NEW, SESSION, situation, stream, until } from "./harness/streams.ts";

panelTest("Enter sends, Shift+Enter begins a line, and the selection goes along", async () => {
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

panelTest("nothing is asked while a run is under way; Escape stops it", async () => {
  await shown(...stream("answered").slice(0, 30));
  await input.fill("more");
  await input.press("Enter");
  assert.deepEqual(await harness.said("ask"), []);
  await input.press("Escape");
  assert.deepEqual(await harness.said("stop"), [{ type: "stop", runId: "answered" }]);
});

panelTest("a sub-agent at work is stopped alone; one that has ended is not", async () => {
  await shown(...stream("grounded").slice(0, 12));
  const stops = harness.page.getByRole("button", { name: /^Stop Explore/ });
  assert.equal(await stops.count(), 1);
  await stops.first().click();
  assert.deepEqual(await harness.said("stopAgent"), [{ type: "stopAgent", agentId: "a2" }]);
});

panelTest("what a sub-agent did is shown from its card", async () => {
  await shown(...stream("grounded"));
  await harness.page.locator(".agent .fold-head").first().click();
  await button("Show what it did").click();
  assert.deepEqual(await harness.said("showAgent"), [{ type: "showAgent", agentId: "a1" }]);
});

panelTest("Up recalls earlier questions, Down leads back to what was written", async () => {
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

panelTest("completions by keyboard", async () => {
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

panelTest("a late list of completions is not shown", async () => {
  await shown();
  await input.click();
  await harness.page.keyboard.type("@pr");
  const items = [{ kind: "file", label: "x", detail: "", insert: "@x" }] as const;
  await harness.tell({ type: "completions", number: 1, items, incomplete: false });
  assert.equal(await harness.page.getByRole("option").count(), 0);
});

panelTest("a review by keyboard: one part is left out, with a reason", async () => {
  await shown(...until("edits", "review"));
  const out = button("Reject part 2");
  await out.press("Enter");
  const [left] = await harness.said("leaveOut");
  assert.ok(left?.out);
  await harness.tell({ type: "leftOut", id: left.id, parts: [left.part] });
  assert.equal(await out.getAttribute("aria-pressed"), "true");
  await harness.page.locator(".review .field").fill("Round only what is shown.");
  await button("Accept 2 of 3 parts").press("Enter");
  const [answer] = await harness.said("reviewAnswer");
  assert.equal(answer?.answer.accepted.length, 3, "the extension knows what is left out");
  assert.equal(answer?.answer.message, "Round only what is shown.");
  assert.equal(await harness.page.locator(".review").count(), 0);
});

panelTest("an edit that was applied in part says which parts, and counts no others", async () => {
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

panelTest(
  "that it was applied in part is seen in a narrow panel, too",
  async () => {
    await shown(...stream("edits"));
    const became = harness.page.locator(".became.mixed").first();
    assert.equal(await became.textContent(), "applied in part");
    assert.equal(await became.evaluate((each) => getComputedStyle(each).clipPath), "none");
    assert.equal(
      await became.evaluate((each) => each.getBoundingClientRect().right <= window.innerWidth),
      true,
    );
  },
  { width: 300 },
);

panelTest("of a long question the beginning is shown until one wants it all", async () => {
  const asked = { runId: "r", question: `First.\n\n${"word ".repeat(100)}`, chips: [] };
  await shown({ type: "begun", asked });
  const bubble = harness.page.locator(".question-text");
  assert.equal(await bubble.textContent(), "First.Show all");
  await button("Show all").press("Enter");
  assert.match((await bubble.textContent()) ?? "", /word word .*Show less/);
});

panelTest("a permission is denied with words", async () => {
  await shown(...until("edits", "permission"));
  await button("Refuse and say why…").click();
  await harness.page.keyboard.type("Not here.");
  await harness.page.keyboard.press("Enter");
  const [answer] = await harness.said("permissionAnswer");
  assert.deepEqual(answer?.answer, { choice: "deny", message: "Not here." });
});

panelTest("a question of the model's is answered by one of its options", async () => {
  await shown(...until("asked", "question"));
  await harness.page.getByRole("button", { name: /^Several/ }).press("Enter");
  const [answer] = await harness.said("questionAnswer");
  assert.deepEqual(answer?.answer, { chosen: ["Several"], words: "" });
});

panelTest("several options, and words", async () => {
  const options = ["a", "b", "c"].map((label) => ({ label, detail: "" }));
  await shown({
    type: "question",
    id: "q",
    question: { text: "Which?", options, several: true, draft: "", refusal: "", ...ASKER },
  });
  await harness.page.getByRole("checkbox", { name: "c" }).press("Space");
  await harness.page.getByRole("checkbox", { name: "a" }).press("Space");
  await button("Answer").click();
  const [answer] = await harness.said("questionAnswer");
  assert.deepEqual(answer?.answer, { chosen: ["a", "c"], words: "" });
});

panelTest("several options by keyboard alone: Shift+Tab, digits, Enter", async () => {
  const options = ["a", "b", "c"].map((label) => ({ label, detail: "" }));
  await shown({
    type: "question",
    id: "q",
    question: { text: "Which?", options, several: true, draft: "", refusal: "", ...ASKER },
  });
  await answerable();
  await input.click();
  for (const key of ["Shift+Tab", "3", "Tab", "1", "Enter"]) {
    await harness.page.keyboard.press(key);
  }
  const [answer] = await harness.said("questionAnswer");
  assert.deepEqual(answer?.answer, { chosen: ["a", "c"], words: "" });
});

panelTest("completions that come after the question was sent do not open", async () => {
  await shown();
  await input.click();
  await harness.page.keyboard.type("Look at @pri");
  const number = (await harness.said("complete")).at(-1)?.number ?? 0;
  await input.press("Enter");
  const items = [{ kind: "file", insert: "@prices.py", label: "prices.py", detail: "" }] as const;
  await harness.tell({ type: "completions", number, items, incomplete: false });
  assert.equal(await harness.page.getByRole("option").count(), 0);
  assert.equal((await harness.said("ask")).length, 1);
});

panelTest("a citation opens its lines, and says how it stands", async () => {
  await shown(...stream("grounded"));
  await button(
    "Source 2: server/second.py:10-14, contradicted by these lines, judged by a model. The lines say that the task is ended as well.",
  ).click();
  assert.deepEqual(await harness.said("open"), [
    { type: "open", uri: "file:///w/server/second.py", firstLine: 10, lastLine: 14 },
  ]);
});

panelTest("two marks of the same lines say each how its sentence stands", async () => {
  await shown(...stream("grounded"));
  const labels = await harness.page.evaluate(() =>
    [...document.querySelectorAll(".answer > .markdown .cite")]
      .slice(0, 2)
      .map((each) => each.ariaLabel),
  );
  assert.deepEqual(labels, [
    "Source 1: server/listen.py:40-52, verified, checked by rules",
    "Source 1: server/listen.py:40-52, unsupported, judged by a model. The lines say nothing of a socket.",
  ]);
});

panelTest(
  "a sentence that cites nothing is underlined, reached by keyboard, and heard",
  async () => {
    await shown(...stream("grounded"));
    const pieces = harness.page.locator(".uncited");
    const words = await harness.page.evaluate(() =>
      [...document.querySelectorAll(".uncited")].map((each) => each.textContent).join(""),
    );
    assert.equal(words, "Nothing of runs.py is left behind");
    assert.equal(await pieces.first().getAttribute("title"), "This sentence cites nothing.");
    assert.equal(await pieces.first().getAttribute("tabindex"), "0");
    const note = harness.page.locator(".uncited-note");
    assert.equal(await note.textContent(), " (This sentence cites nothing.)");
  },
);

panelTest("while an answer grows, what is underlined in it stays as it is", async () => {
  let seq = 100;
  const told = async (...more: readonly object[]) => {
    const all = more.map((event) => ({ runId: "grounded", seq: seq++, ...event }) as Event);
    await harness.tell({ type: "events", events: all });
  };
  await shown(...stream("grounded").slice(0, 2));
  await told(
    { kind: "text.delta", text: "One *thing*.\r\n\r\nIt is so. Is it? It is so." },
    { kind: "uncited", statement: "One *thing*.", start: 0, end: 12 },
    { kind: "uncited", statement: "It is so.", start: 33, end: 42 },
  );
  const lines = harness.page.locator(".uncited");
  await harness.page.evaluate(() => document.querySelector(".uncited")?.setAttribute("id", "same"));
  await told({ kind: "text.delta", text: " And more.\n\nThen *this*.\n\nAnd that." });
  await harness.page.getByText("And that.").waitFor();
  assert.deepEqual(await lines.allTextContents(), ["One ", "thing", "It is so"]);
  assert.match(
    (await lines.nth(2).locator("xpath=..").textContent()) ?? "",
    /Is it\? It is so \(.*more/,
  );
  assert.equal(await lines.first().getAttribute("id"), "same");
});

panelTest("a task that is cited shows its result in the plan", async () => {
  await shown(...stream("grounded"));
  await harness.page.locator("[data-cite='task 1 0-0']").click();
  assert.deepEqual(await harness.said("open"), []);
  const entries = harness.page.locator(".list > .fold-body > ol > li");
  const result = /1\. Find where .*Explore.*Both hear it in listen\.py.*one task per request/s;
  assert.match((await entries.nth(0).textContent()) ?? "", result);
  assert.match((await entries.nth(1).textContent()) ?? "", /failed: 2\. .*used up its 60 seconds/);
  assert.match((await entries.nth(2).textContent()) ?? "", /now: 3\. Compare ?builds on 1, 2/);
});

panelTest("what was corrected is told: before, after and why", async () => {
  await shown(...stream("grounded"));
  const fold = harness.page.locator(".corrections");
  assert.match((await fold.textContent()) ?? "", /2 sentences corrected$/);
  await fold.locator(".fold-head").click();
  const words = (await fold.textContent()) ?? "";
  assert.match(words, /Rewritten: .*waits for the edit under way\.The third waits for nothing\./);
  assert.match(words, /The third undoes half of an edit\.Left out: No number 5/);
});

panelTest("code is copied and inserted as it is", async () => {
  await shown(...stream("answered"));
  await harness.page.locator(".code [data-act=copy]").click();
  await harness.page.locator(".code [data-act=insert]").click();
  const code = "def gross(price):\n    return price * (1 + VAT)  # not 1 - VAT\n";
  assert.deepEqual(await harness.said("copy"), [{ type: "copy", text: code }]);
  assert.deepEqual(await harness.said("insert"), [{ type: "insert", text: code }]);
});

panelTest("a question is edited and asked again", async () => {
  await shown(...stream("offline"), ...stream("asked"));
  await button("Edit the question and ask again").first().click();
  assert.equal(await input.inputValue(), "Where is the tax added to a price?");
  await input.press("Enter");
  assert.equal((await harness.said("ask"))[0]?.insteadOf, "offline");
  assert.equal(await harness.page.locator(".turn").count(), 1);
});

panelTest(
  "what was being written comes back after an edit, sent or not, also after a reload",
  async () => {
    const words = "And where is it taken off?";
    const [first, second] = [stream("offline"), stream("asked")];
    await shown(...first, ...second, { type: "compose", text: words, chips: [CHIP] });
    const edits = button("Edit the question and ask again");
    await edits.first().click();
    await edits.last().click();
    assert.notEqual(await input.inputValue(), words);
    await input.press("Escape");
    assert.equal(await input.inputValue(), words);
    await edits.first().click();
    await harness.page.reload(); // as VS Code does with a view that was hidden
    await harness.tell(situation(), { ...NEW, sessionId: null, restoring: true }); // and after the whole window
    const events = [...first, ...second].flatMap((each) =>
      each.type === "events" ? each.events : [],
    );
    await harness.tell({ ...NEW, events });
    assert.equal(await input.inputValue(), "Where is the tax added to a price?");
    await input.press("Enter");
    const [asked] = await harness.said("ask");
    assert.deepEqual([asked?.insteadOf, asked?.chips], ["offline", []]);
    assert.equal(await input.inputValue(), words);
    assert.equal(await harness.page.locator(".composer .chip").count(), 1);
  },
);

panelTest("an edit waits for its session, and is given up without it", async () => {
  await shown(...stream("offline"));
  await button("Edit the question and ask again").click();
  await input.fill("Where is it subtracted?");
  await harness.page.reload();
  await harness.tell(situation(), { ...NEW, sessionId: null, restoring: true });
  assert.equal(await input.inputValue(), "Where is it subtracted?");
  await harness.tell({ ...NEW, sessionId: null });
  await input.press("Enter");
  assert.deepEqual(
    (await harness.said("ask")).map(({ question, insteadOf }) => [question, insteadOf]),
    [["Where is it subtracted?", null]],
  );
});

panelTest("an edited question that is gone gives what was being written back", async () => {
  await shown(...stream("offline"), { type: "compose", text: "And now?", chips: [] });
  await button("Edit the question and ask again").click();
  await harness.tell(NEW);
  assert.equal(await input.inputValue(), "And now?");
});

panelTest("sessions: search, rename, delete, resume by keyboard", async () => {
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
    found: "",
    elsewhere: "",
    waits: false,
    worktree: null,
  });
  await harness.tell({
    type: "sessions",
    words: "",
    sessions: [session("1", "First prices"), session("2", "Till"), session("3", "Prices again")],
  });
  await harness.page.keyboard.type("pri");
  while ((await harness.said("listSessions")).at(-1)?.words !== "pri") {
    await harness.page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const question = "Where do prices come from?";
  await harness.tell({
    type: "sessions",
    words: "pri",
    sessions: [session("1", "First prices"), { ...session("3", "Till"), found: question }],
  });
  assert.equal(await button("Take over Till").count(), 0);
  assert.equal(await harness.page.locator(".session").count(), 2);
  assert.equal(await harness.page.locator(".session-found").textContent(), question);
  await button("Rename First prices").click();
  await harness.page.keyboard.type("Money");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("renameSession"), [
    { type: "renameSession", id: "1", title: "Money" },
  ]);
  await button("Delete Till").press("Enter"); // the extension asks whether it is meant
  assert.deepEqual(await harness.said("deleteSession"), [{ type: "deleteSession", id: "3" }]);
  await harness.page.locator(".session-search").click();
  await harness.page.keyboard.press("ArrowDown");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("resumeSession"), [{ type: "resumeSession", id: "1" }]);
  assert.equal(await harness.page.locator(".sessions").count(), 0);
});

panelTest("a session that is open elsewhere is taken over in the list, by keyboard", async () => {
  await shown(situation());
  await button("Sessions").click();
  const sessions = [{ ...SESSION, id: "9", title: "Till", elsewhere: "a terminal" }];
  await harness.tell({ type: "sessions", words: "", sessions });
  assert.equal(await button("Take over Till").textContent(), "Take over");
  await button("Take over Till").press("Enter");
  assert.deepEqual(await harness.said("takeOver"), [{ type: "takeOver", id: "9" }]);
  assert.equal(await harness.page.locator(".sessions").count(), 0);
});

const APART = "Work in a git worktree of its own: your files stay as they are until you merge";

panelTest("a new session in a worktree, then merged or thrown away", async () => {
  await shown(situation({ session: null, sessionId: null }));
  await button(APART).press("Enter");
  assert.match((await harness.page.locator(".editing").textContent()) ?? "", /^In a git worktree/);
  await input.fill("Mend it.");
  await harness.page.keyboard.press("Enter");
  assert.equal((await harness.said("ask")).at(-1)?.worktree, true);
  const worktree = {
    name: "work-1",
    branch: "glossator/work-1",
    folders: ["/trees/work-1"],
    state: "open",
    changed: 2,
    into: "main",
  };
  await harness.tell(situation({ session: { ...SESSION, worktree } }));
  assert.equal(await button(APART).count(), 0);
  const line = harness.page.locator(".worktree");
  const words = line.locator(".worktree-words");
  assert.equal(await words.textContent(), "glossator/work-1", "it is not counted during a run");
  await harness.tell({
    type: "failed",
    runId: (await harness.said("ask")).at(-1)?.runId ?? "",
    message: "x",
  });
  assert.equal(await words.textContent(), "glossator/work-1, 2\u00a0files");
  await button("Merge").press("Enter");
  await button("Throw away").press("Enter");
  assert.deepEqual(await harness.said("mergeWorktree"), [{ type: "mergeWorktree", id: "s1" }]);
  assert.deepEqual(await harness.said("discardWorktree"), [{ type: "discardWorktree", id: "s1" }]);
  await harness.tell(
    situation({ session: { ...SESSION, worktree: { ...worktree, state: "merged" } } }),
  );
  assert.match((await line.textContent()) ?? "", /was merged. You can still read it here/);
  assert.equal(await button("Merge").count(), 0);
  assert.equal(await input.evaluate((each) => each.matches(":disabled")), true);
  assert.match((await input.getAttribute("placeholder")) ?? "", /begin a new session/);
  assert.equal(await button("Try again").count(), 0);
  assert.equal(await isOff("Ask again"), true);
  await button("New session").last().press("Enter");
  await harness.tell(situation({ session: null, sessionId: null }), { ...NEW, sessionId: null });
  assert.equal((await harness.said("newSession")).length, 1);
  assert.equal(await input.evaluate((each) => each === document.activeElement), true);
});

panelTest("the mode is chosen by keyboard", async () => {
  await shown();
  await button("Mode: Ask").press("Enter");
  await harness.page.keyboard.press("ArrowDown");
  await harness.page.keyboard.press("Enter");
  assert.deepEqual(await harness.said("setMode"), [{ type: "setMode", mode: "acceptEdits" }]);
});

panelTest("tasks are chosen where the mode is", async () => {
  await shown();
  await button("Mode: Ask").press("Enter");
  for (let step = 0; step < 4; step++) {
    await harness.page.keyboard.press("ArrowDown");
  }
  await harness.page.keyboard.press("Enter");
  assert.equal(await button("Mode: Ask · Always split").count(), 1);
  await input.fill("Why?");
  await input.press("Enter");
  assert.equal((await harness.said("ask"))[0]?.plan, "plan");
  assert.deepEqual(await harness.said("setMode"), []);
});

panelTest("what was written and where one was outlives a reload", async () => {
  const long = [...stream("offline"), ...stream("answered"), ...stream("grounded")];
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
  await harness.tell({ type: "keep", sessionId: "s1" });
  await harness.page.reload();
  await shown(...long);
  const kept = await harness.page.evaluate(() =>
    sessionStorage.getItem(`state ${location.search}`),
  );
  assert.equal(JSON.parse(kept ?? "").sessionId, "s1"); // VS Code gives it to the extension
  assert.equal(await input.inputValue(), "half a quest");
  assert.equal(await harness.page.locator(".composer .chip").count(), 1);
  assert.equal(await place(), before);
});

panelTest("a picture is pasted, files are dropped", async () => {
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

panelTest("a screen reader is told of the answer and of what is asked", async () => {
  const region = harness.page.locator("[aria-live=polite]");
  await shown(...until("edits", "permission"));
  assert.equal(await region.textContent(), "Permission needed: Run this command?");
  await harness.tell(...stream("edits"));
  assert.match(
    (await region.textContent()) ?? "",
    /^Answer: Two of the three places are mended ; the tests/,
  );
  await harness.tell(...stream("grounded").slice(0, -1));
  await harness.tell(...stream("grounded").slice(-1));
  assert.match(
    (await region.textContent()) ?? "",
    /^Answer: The first server .* 5 citations do not hold\. 1 sentence cites nothing\.$/s,
  );
});

panelTest("every button has a name", async () => {
  await shown(...stream("edits"), ...stream("grounded"), ...until("asked", "question"));
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

panelTest("nothing went wrong in all this", async () => {
  assert.deepEqual(await harness.refused(), []);
  assert.deepEqual(harness.problems, []);
});

panelTest("lines of a diff have no colour but their own", async () => {
  await shown(...until("edits", "review"));
  const background = await harness.page
    .locator(".line code")
    .first()
    .evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.equal(background, "rgba(0, 0, 0, 0)");
});

panelTest("a bar tells how full the window is, by layer, and leads to what is in it", async () => {
  await shown(situation({ contextWindow: 10_000 }), ...stream("answered"));
  const meter = harness.page.locator(".meter");
  const words = /^Context \d+% full: [\d.]+k of 10k tokens: system 500, tools 1\.2k, conversation /;
  assert.match((await meter.getAttribute("aria-label")) ?? "", words);
  assert.equal(await meter.locator("rect").count(), 4);
  await meter.click();
  const asked = { type: "command", command: "glossator.showContext" };
  assert.deepEqual(await harness.said("command"), [asked]);
});

panelTest("a selection that is attached is one chip, and goes with one press", async () => {
  await shown(situation({ selection: CHIP }), { type: "compose", text: "", chips: [CHIP] });
  const chips = harness.page.locator(".composer .chip");
  assert.equal(await chips.count(), 1);
  await button("Remove a.py:3").click();
  assert.equal(await chips.count(), 0);
});

panelTest("thinking keeps the underscores of names", async () => {
  const begin = { runId: "t", sessionId: "s1", question: "?", model: "m", offline: false };
  const text = "**Look** at `max_retries` and __init__.py, 2*3*4, snake_case_name";
  await shown({
    type: "events",
    events: [
      {
        ...begin,
        kind: "run.started",
        seq: 0,
        attachments: [],
        onlyReads: false,
        plan: "auto",
        beganAt: "",
        shown: "",
        folders: [],
      },
      { runId: "t", kind: "thinking.delta", seq: 1, text },
    ],
  });
  const glimpse = await harness.page.locator(".thinking .tool-summary").textContent();
  assert.equal(glimpse, "Look at max_retries and __init__.py, 2*3*4, snake_case_name");
  await harness.page.locator(".thinking .fold-head").click();
  assert.equal(await harness.page.locator(".thoughts").textContent(), text);
});

panelTest("how long a run has been at work is told beside Stop", async () => {
  const beganAt = new Date(Date.now() - 75_000).toISOString();
  const begin = { runId: "t", sessionId: "s1", question: "?", model: "m", offline: false };
  await shown({
    type: "events",
    events: [
      {
        ...begin,
        kind: "run.started",
        seq: 0,
        attachments: [],
        onlyReads: false,
        plan: "auto",
        beganAt,
        shown: "",
        folders: [],
      },
    ],
  });
  assert.match((await harness.page.getByRole("timer").textContent()) ?? "", /^1 min \d+ s$/);
  await harness.tell({
    type: "events",
    events: [{ runId: "t", kind: "run.cancelled", elsewhere: "", seq: 1 }],
  });
  assert.equal(await harness.page.getByRole("timer").count(), 0);
});

panelTest("an answered question stays, with what was chosen, and so do figures", async () => {
  const run = { runId: "t" };
  const begin = { ...run, sessionId: "s1", question: "?", model: "m", offline: false };
  const call = { ...run, callId: "c", tool: "AskUser" };
  const usage = { inputTokens: 1000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 500 };
  const took = {
    ...run,
    milliseconds: 4200,
    turns: 2,
    usage,
    dollars: 0.0123,
    sessionDollars: 0.02,
  };
  const given = { question: "Which `colour`?", options: [{ label: "Green" }] };
  const ended = { error: false, unsuccessful: false, milliseconds: 3, places: [] };
  await shown({
    type: "replay",
    sessionId: "s1",
    answers: [],
    figures: [took],
    events: [
      {
        ...begin,
        kind: "run.started",
        seq: 0,
        attachments: [],
        onlyReads: false,
        plan: "auto",
        beganAt: "",
        shown: "",
        folders: [],
      },
      { ...call, kind: "tool.started", seq: 1, arguments: given, about: "" },
      {
        ...call,
        kind: "tool.finished",
        seq: 2,
        summary: "answered",
        answer: "Green; but dark",
        ...ended,
      },
      { ...run, kind: "text.delta", seq: 3, text: "Then green." },
      { ...run, kind: "run.finished", seq: 4, stop: "answered" },
    ],
  });
  const card = harness.page.locator(".answered");
  assert.equal(await card.locator(".question-more").textContent(), "Which colour?");
  assert.equal(
    (await card.locator(".given > :last-child").textContent())?.trim(),
    "Green; but dark",
  );
  assert.equal(
    await harness.page.locator(".figures").textContent(),
    "1.5k tokens · $0.012 · 4.2 s",
  );
});

panelTest("a citation of no lines says why instead of opening an address", async () => {
  const run = { runId: "t" };
  const begin = { ...run, sessionId: "s1", question: "?", model: "m", offline: false };
  const reason = "There is no file gone.py.";
  const lines = {
    target: "gone.py",
    uri: null,
    firstLine: 1,
    lastLine: 2,
    at: null,
    movedTo: null,
  };
  const citation = { ...lines, status: "unsupported", reason, basis: null } as unknown as Citation;
  await shown({
    type: "events",
    events: [
      {
        ...begin,
        kind: "run.started",
        seq: 0,
        attachments: [],
        onlyReads: false,
        plan: "auto",
        beganAt: "",
        shown: "",
        folders: [],
      },
      { ...run, kind: "text.delta", seq: 1, text: "So it is [cite: doc, gone.py, 1-2]." },
      { ...run, kind: "citation", seq: 2, citation },
      { ...run, kind: "run.finished", seq: 3, stop: "answered" },
    ],
  });
  await harness.page.locator("button.cite").click();
  assert.deepEqual(await harness.said("openPath"), []);
  const [told] = await harness.said("inform");
  assert.equal(told?.text, `No lines can be opened for gone.py:1-2, unsupported. ${reason}`);
});

panelTest(
  "in a session that is open elsewhere nothing is asked, but it is taken over",
  async () => {
    await shown();
    await harness.tell(situation({ session: { ...SESSION, elsewhere: "a terminal" } }));
    await input.fill("And now?");
    await input.press("Enter");
    assert.deepEqual(await harness.said("ask"), []);
    assert.equal(await input.inputValue(), "And now?");
    assert.equal(await isOff("Send (Enter)"), true);
    const takeOver = button("Take over");
    assert.equal(await takeOver.evaluate((each) => each === document.activeElement), true);
    assert.equal(await takeOver.getAttribute("aria-describedby"), "open-elsewhere");
    await takeOver.press("Enter");
    assert.deepEqual(await harness.said("command"), [
      { type: "command", command: "glossator.takeOver" },
    ]);
    await input.fill("/new");
    await input.press("Enter");
    assert.equal((await harness.said("ask")).length, 1, "commands are carried out");
  },
);

panelTest("what was done in a session that is open elsewhere stays as it is", async () => {
  await shown(...stream("edits"));
  const names = ["Ask again", "Edit the question and ask again", "Undo this turn's edits"];
  const off = () => Promise.all(names.map(isOff));
  assert.deepEqual(await off(), [false, false, false]);
  await harness.tell(situation({ session: { ...SESSION, elsewhere: "a terminal" } }));
  assert.deepEqual(await off(), [true, true, true]);
});

async function isOff(name: string): Promise<boolean> {
  return await button(name).evaluate((each) => each.matches(":disabled"));
}

panelTest("a question's bubble stands out from the side bar in every theme", async () => {
  await shown(...stream("failed"));
  for (const theme of [...THEMES, "solarized-light"] as const) {
    await harness.theme(theme);
    const lightness = await harness.page
      .locator(".question-text")
      .first()
      .evaluate((bubble) => {
        const canvas = new OffscreenCanvas(1, 1).getContext(
          "2d",
        ) as OffscreenCanvasRenderingContext2D;
        const over = (...colours: string[]) => {
          for (const colour of colours) {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
          }
          const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const ground = getComputedStyle(document.body).backgroundColor;
        return [over(ground), over(ground, getComputedStyle(bubble).borderColor)];
      });
    const [ground = 0, edge = 0] = lightness;
    assert.ok(Math.abs(ground - edge) > 15, `${theme}: ${lightness}`);
  }
});

panelTest("what is written stays with its session, also while another one is shown", async () => {
  const goTo = async (sessionId: string | null, ...messages: readonly ToPanel[]) => {
    await harness.tell({ ...NEW, sessionId }, ...messages);
    await harness.tell(situation({ sessionId }));
  };
  await shown();
  await goTo("s1");
  await input.fill("half a quest");
  await harness.tell({ type: "compose", text: "", chips: [CHIP] });
  await goTo(null);
  assert.equal(await input.inputValue(), "");
  assert.equal(await harness.page.locator(".composer .chip").count(), 0);
  await input.fill("Why?");
  await input.press("Enter");
  await input.fill("and another");
  await harness.tell(situation({ sessionId: "s2" })); // the new one has begun
  assert.equal(await input.inputValue(), "and another");
  await harness.page.reload();
  await harness.tell({ ...NEW, sessionId: null, restoring: true });
  await harness.tell(situation({ sessionId: null })); // until it comes back
  assert.equal(await input.inputValue(), "and another");
  await goTo("s2");
  assert.equal(await input.inputValue(), "and another");
  await goTo("s1");
  assert.equal(await input.inputValue(), "half a quest");
  assert.equal(await harness.page.locator(".composer .chip").count(), 1);
  await goTo("s2");
  assert.equal(await input.inputValue(), "and another");
});
