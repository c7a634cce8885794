// A plan at the end of the last turn: started in a mode, changed in words, or left.

import assert from "node:assert/strict";
import { button, harness, panelTest, shown } from "./harness/opened.ts";
import { NEW, PLANNED, situation } from "./harness/streams.ts";

const card = () => harness.page.locator(".plan-card");

for (const [label, mode] of [
  ["Start in Ask", "ask"],
  ["Start in Accept edits", "acceptEdits"],
  ["Start in Auto", "auto"],
] as const) {
  panelTest(`a plan is started by "${label}", once`, async () => {
    await shown(...PLANNED);
    await card().locator(`.option:has(:text-is("${label}"))`).click();
    assert.deepEqual(await harness.said("startPlan"), [{ type: "startPlan", mode }]);
    assert.equal(await card().count(), 0);
  });
}

panelTest("a plan is changed in words; the card is there until they are a question", async () => {
  await shown(...PLANNED);
  await card().locator("input").fill("Keep the old name.");
  await card().locator("input").press("Enter");
  const words = "Keep the old name.";
  assert.deepEqual(await harness.said("changePlan"), [{ type: "changePlan", words }]);
  assert.equal(await card().locator("input").inputValue(), words);
  await harness.tell({ type: "begun", asked: { runId: "r2", question: words, chips: [] } });
  assert.equal(await card().count(), 0);
});

panelTest("a plan that is not wanted is left", async () => {
  await shown(...PLANNED);
  await button("No, leave it").click();
  assert.equal(await card().count(), 0);
  assert.deepEqual(await harness.said("startPlan"), []);
});

panelTest(
  "a plan that was left is not offered again, in no panel, unless it is shown",
  async () => {
    await shown(...PLANNED);
    await button("No, leave it").click();
    assert.deepEqual(await harness.said("leavePlan"), [{ type: "leavePlan" }]);
    await harness.page.reload();
    await harness.tell(situation({ planLeft: true }), ...PLANNED);
    assert.equal(await harness.page.locator(".turn").count(), 1);
    assert.equal(await card().count(), 0);
    await harness.tell(situation({ planLeft: false }));
    assert.equal(await card().count(), 1);
  },
);

panelTest("words about a plan are kept while another session is shown", async () => {
  await shown(...PLANNED);
  await card().locator("input").fill("Keep the old name.");
  await harness.tell(situation({ sessionId: "s2" }), NEW);
  assert.equal(await card().count(), 0);
  await harness.tell(situation(), ...PLANNED);
  assert.equal(await card().locator("input").inputValue(), "Keep the old name.");
});

panelTest("only the last turn's plan is offered, and no answer is", async () => {
  await shown(...PLANNED, { type: "begun", asked: { runId: "r2", question: "?", chips: [] } });
  assert.equal(await card().count(), 0);
});

panelTest("where nothing may be changed, a plan can only be changed itself", async () => {
  await harness.tell(situation({ trusted: false }), NEW, ...PLANNED);
  assert.equal(await card().locator(".option").count(), 0);
  assert.match((await card().textContent()) ?? "", /trust this workspace/);
});

panelTest(
  "the start of a plan is shown in the user's words; what waits can be looked at",
  async () => {
    const begun = { runId: "started", seq: 0, kind: "run.started" } as const;
    const notice = { runId: "started", kind: "notice" } as const;
    await shown({
      type: "events",
      events: [
        {
          ...begun,
          sessionId: "s1",
          question: "I accept the plan. Carry it out.",
          shown: "Start the plan",
          folders: [],
          model: "m",
          offline: false,
          attachments: [],
          onlyReads: false,
          plan: "",
          beganAt: "",
        },
        { ...notice, seq: 1, message: "1 hook of this workspace.", about: "adoptions" },
        { ...notice, seq: 2, message: "Wait.", about: "" },
      ],
    });
    assert.equal(await harness.page.locator(".question-text").textContent(), "Start the plan");
    await button("Look at them").click();
    assert.deepEqual(await harness.said("showSources"), [{ type: "showSources" }]);
  },
);
