// What an answer rests on: a hard question is made clear, taken apart into tasks and answered from
// their results. Marks arrive while the answer streams, a sentence that its lines contradict is
// corrected, one that cites nothing is marked, and what is verified is kept. A task that is cited
// shows its result. A fact whose lines are edited is stale at once, and the next question is not
// told of it.

import assert from "node:assert/strict";
import { runCommand } from "./gestures.mjs";
import { HELD } from "./model.mjs";

const THEMES = { dark: "Dark 2026", light: "Light 2026" };
const code = (name, argument, limit, value, verb) =>
  `def ${name}(${argument}):\n    ${limit} = ${value}\n    return ${verb}(${argument}, ${limit})\n`;

export const files = {
  "client.py": code("fetch", "url", "retries", 3, "send"),
  "store.py": code("save", "row", "limit", 5, "write"),
  "shell.py": code("run", "words", "patience", 7, "start"),
};
export const settings = {
  "glossator.plan.dispatch": "model",
  "glossator.plan.review": true,
  "glossator.grounding.entailment": true,
  "glossator.grounding.correction": "rewrite",
};

const QUESTION = "Compare how fetch, save and run limit themselves.";
const DISPATCHER = "Decide how a coding assistant answers";
const DECOMPOSER = "Make the plan. The question:";
const UNCLEAR = {
  sub_tasks: [],
  ambiguity: { question: "Which limits do you mean?", options: ["Of time", "Of number"] },
};
const TASKS = [
  ["What limit does fetch have?", []],
  ["What limit does save have?", []],
  ["What do the limits of fetch and save have in common?", [1, 2]],
  ["How patient is run?", []],
];
const PLAN = {
  sub_tasks: TASKS.map(([description, dependencies], at) => ({
    id: at + 1,
    description,
    dependencies,
  })),
  ambiguity: null,
};
const CLIENT = "[cite: doc, client.py, L1-L3]";
const STORE = "[cite: doc, store.py, L1-L3]";
const SHELL = "[cite: doc, shell.py, L1-L3]";
const FETCH = "`fetch` sets `retries` to 3.";
const SAVE = "`save` sets `limit` to 5.";
const WRONG = "Rows are saved however many there are.";
const UNCITED = "`run` is the most patient of the three.";
const ANSWER = `All three count.\n\n- ${FETCH} ${CLIENT}\n- ${WRONG} ${STORE}\n\n${UNCITED}\n\nIts patience`;
const REST = " is a count, too [cite: task, 4].";

export async function story(stage) {
  await clarified(stage);
  await reviewed(stage);
  await planned(stage);
  await marked(stage);
  await corrected(stage);
  await kept(stage);
  await stale(stage);
}

/** The question has two readings, so the user is asked. */
async function clarified(stage) {
  const { model, panel } = stage;
  const task = (at, reply) => [`# The task\n\n${TASKS[at][0]}`, reply];
  await model.plays(["I look.", HELD], [ANSWER, HELD, REST]);
  await model.replies(
    [DISPATCHER, ['{"task_type": "COMPLEX"}']],
    [DECOMPOSER, [JSON.stringify(UNCLEAR)]],
    [DECOMPOSER, [JSON.stringify(PLAN)]],
    task(0, ["- `fetch` retries ", HELD, `3 times. ${CLIENT}`]),
    task(1, [`- \`save\` sets \`limit\` to 5. ${STORE}`]),
    task(2, ["- Both are numbers. [cite: task, 1]"]),
    task(3, [`- \`run\` sets \`patience\` to 7. ${SHELL}`]),
  );
  await model.judges(
    {
      [WRONG]: ["CONTRADICTED", "limit = 5"],
      "Its patience is a count": ["SUPPORTED", "patience = 7"],
      retries: ["SUPPORTED", "retries = 3"],
      limit: ["SUPPORTED", "limit = 5"],
      patience: ["SUPPORTED", "patience = 7"],
      "All three count": ["UNRELATED", ""],
      "Both are numbers": ["SUPPORTED", "retries = 3"],
    },
    { [WRONG]: SAVE },
  );
  await stage.ask(QUESTION);
  const card = panel.locator(".question-card");
  await card.getByText("Which limits do you mean?").waitFor();
  await pictures(stage, "asked");
  await card.getByRole("button", { name: "Of number" }).click();
}

/** The plan is a document, and can be decided about there. */
async function reviewed({ page, panel }) {
  const card = panel.locator(".question-card", { hasText: "Work on this plan?" });
  await card.getByRole("button", { name: "Edit the plan" }).click();
  const lens = page.locator(".codelens-decoration a", { hasText: "Go on" });
  await lens.waitFor();
  await page.locator(".view-line", { hasText: "(after 1, 2)" }).waitFor();
  await lens.click();
  await card.waitFor({ state: "detached" });
}

/** The plan shows which tasks are at work, and what has been found. */
async function planned(stage) {
  const { model, turn } = stage;
  const task = (state) => turn.locator(`.list li.${state}`);
  await task("done").nth(1).waitFor();
  assert.deepEqual(
    [await task("active").count(), await task("pending").count()],
    [1, 1],
    "one is at work, one waits for it",
  );
  await stage.page.locator(".tab", { hasText: "Plan.md" }).waitFor();
  await pictures(stage, "planned");
  await model.goesOn();
  await task("done").nth(3).waitFor();
}

/** Sentences are judged while the answer is still being written. */
async function marked(stage) {
  const { turn } = stage;
  await turn.locator(".cite.verified").waitFor();
  await turn.locator(".cite.contradicted").waitFor();
  await turn.locator(".uncited").first().waitFor();
  await turn.locator(".doing-line").waitFor();
  await pictures(stage, "marked");
}

/** The sentence that fell is another one now; what was changed and what was kept can be looked at. */
async function corrected(stage) {
  const { model, turn } = stage;
  await model.goesOn();
  await turn.locator(".corrections .fold-head").click();
  await turn.locator(".facts .fold-head").click();
  await turn.locator(".sources .fold-head").first().click();
  await turn.locator(".corrections del", { hasText: WRONG }).waitFor();
  assert.equal(await turn.locator(".cite.contradicted").count(), 0);
  assert.ok((await turn.locator(".markdown .uncited").count()) > 0);
  await pictures(stage, "corrected");
  await turn.locator(".cite.verified").last().click();
  await turn.locator(".task-result .markdown", { hasText: "sets patience to 7" }).waitFor();
  await pictures(stage, "task");
}

/** The facts are listed in the Context view, and the next session is told them. */
async function kept(stage) {
  const { page } = stage;
  await runCommand(page, "Glossator: Focus on Context View");
  await stage.heighten("Context", 300);
  await fact(stage, FETCH).waitFor();
  await fact(stage, SAVE).waitFor();
  await pictures(stage, "kept");
  const request = await told(stage, "How do fetch and save limit themselves?");
  assert.ok(request.includes(FETCH) && request.includes(SAVE), request);
}

async function stale(stage) {
  const { page } = stage;
  await stage.open("client.py");
  await stage.goTo(2);
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("4");
  await fact(stage, FETCH, "stale").waitFor();
  await pictures(stage, "stale");
  const request = await told(stage, "How do fetch and save limit themselves now?");
  assert.ok(!request.includes(FETCH) && request.includes(SAVE), request);
  await stage.save();
}

/** What a new session's question goes with. */
async function told(stage, question) {
  const { model, turn } = stage;
  await stage.begin();
  await model.plays([{ Read: { path: "client.py" } }], ["Noted."]);
  await model.replies([DISPATCHER, ['{"task_type": "SIMPLE"}']]);
  await stage.ask(question);
  await turn.getByText("Noted.").waitFor();
  const { requests } = await model.told();
  return JSON.stringify(requests.at(-1));
}

function fact({ page }, statement, state = "") {
  return page.getByRole("treeitem", { name: `${statement.replaceAll("`", "")}, ${state}` });
}

async function pictures(stage, name) {
  for (const [theme, title] of Object.entries(THEMES)) {
    await stage.theme(title);
    await stage.picture(`grounded-${name}-${theme}`);
  }
}
