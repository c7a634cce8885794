// While a run is on: a message steers it, others wait in a queue, which Stop does not lose, nor a
// reload of the window.

import assert from "node:assert/strict";
import { reload, runCommand, until } from "./gestures.mjs";
import { HELD } from "./model.mjs";

export const files = { "queued.py": "LIMIT = 7\n" };

const ASKS = {
  AskUser: { question: "Which limit?", options: [{ label: "The lower" }, { label: "The upper" }] },
};
const STEERS = "Only the upper one.";

export async function story(stage) {
  const { panel, model, page } = stage;
  const box = panel.locator(".composer textarea");
  const answers = panel.locator(".answer");
  const queue = panel.getByRole("region", { name: "Waiting messages" });
  const write = async (words, key) => {
    await until(panel.locator(".queue, .said").getByText(words), async () => {
      await box.fill(words);
      await box.press(key);
    });
  };

  await model.plays([ASKS], ["It is seven."], ["Second.", HELD, "Never said."]);
  await stage.ask("What is the limit?");
  const option = panel.getByRole("button", { name: "The upper", exact: true });
  await option.waitFor();
  await write("And the second?", "Enter");
  await write("And the third?", "Enter");
  await write(STEERS, "Control+Enter");
  await queue.getByText("Goes to the model with the next results").waitFor();
  await stage.picture("queued-steering");
  await until(panel.locator(".said").getByText(STEERS), () => option.click());
  await answers.getByText("It is seven.").waitFor();
  await answers.getByText("Second.").waitFor(); // the queue went on by itself
  const { requests } = await model.told();
  const told = requests.find(({ messages }) => JSON.stringify(messages).includes(STEERS));
  assert.deepEqual(
    told.messages
      .at(-1)
      .content.map(({ type }) => type)
      .filter((type) => type !== "text"),
    ["tool_result"],
  );
  assert.equal(told.messages.at(-1).content.at(-1).text, STEERS);
  await panel.getByRole("button", { name: "Stop (Escape)" }).click();
  await queue.getByText("Not sent yet. The run was stopped.").waitFor();
  await model.parted();
  await stage.picture("queued-held");
  await reload(page);
  await stage.ready();
  await runCommand(page, "Glossator: Ask");
  await queue.getByText("And the third?").waitFor();
  await panel.locator(".said").getByText(STEERS).waitFor(); // as it was kept
  await model.plays(["Third."]);
  await until(answers.getByText("Third."), async () => {
    await panel.getByRole("button", { name: "Send it" }).click();
  });
  await queue.waitFor({ state: "hidden" });
}
