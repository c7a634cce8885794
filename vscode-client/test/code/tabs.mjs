// Two chats at once, in the view and in an editor tab: each answers, and is asked, for itself. The tab
// comes back when the window is reloaded, and the view moves to the secondary side bar and back.

import assert from "node:assert/strict";
import { reload, runCommand, until } from "./gestures.mjs";
import { HELD } from "./model.mjs";

export const files = { "tabs.py": "LIMIT = 7\n" };

const IN_TAB = "What is the limit?";
const IN_VIEW = "Who wrote it?";
const ASKS = {
  AskUser: { question: "Which limit?", options: [{ label: "The lower" }, { label: "The upper" }] },
};

export async function story(stage) {
  const { model, page } = stage;
  const view = framed(page, "[src*='purpose=webviewView']");
  const tab = framed(page, ":not([src*='purpose=webviewView'])");
  const inPrimary = page.locator(".part.sidebar .pane-header[aria-label^='Chat']");
  const inSecondary = page.locator(".part.auxiliarybar .pane");

  await until(tab.locator("textarea").first(), () =>
    runCommand(page, "Glossator: New Chat in Editor"),
  );
  await model.plays(["Wait.", HELD, "It is seven."], ["Somebody else."]);
  await ask(tab, IN_TAB);
  await tab.getByText("Wait.").waitFor();
  await ask(view, IN_VIEW);
  await view.locator(".answer").getByText("Somebody else").waitFor(); // while the tab's run is on
  assert.equal(await view.getByText("Wait.").count(), 0);
  await stage.picture("tabs-both");
  await model.goesOn();
  await tab.locator(".answer").getByText("It is seven").waitFor();
  await page.locator(".tab", { hasText: IN_TAB }).first().waitFor();

  await model.plays([ASKS], ["The upper one is eight."]);
  await ask(tab, "And the other one?");
  const option = tab.getByRole("button", { name: "The upper", exact: true });
  await option.waitFor();
  await view.getByText("waits for your answer").waitFor();
  assert.equal(await view.getByRole("button", { name: "The upper", exact: true }).count(), 0);
  await stage.picture("tabs-asked");
  await until(tab.locator(".answer").getByText("The upper one is eight").first(), () =>
    option.click(),
  );

  await reload(page);
  await stage.ready();
  await tab.locator(".answer").getByText("It is seven").waitFor();
  await view.locator(".answer").getByText("Somebody else").waitFor();
  await model.plays(["As I said."]);
  await ask(tab, "Is that all?");
  await tab.locator(".answer").getByText("As I said").waitFor();
  const sent = JSON.stringify((await model.told()).requests.at(-1).messages);
  assert.ok(sent.includes("It is seven") && !sent.includes(IN_VIEW), "its conversation goes on");

  await until(inSecondary.first(), () =>
    runCommand(page, "Glossator: Move Chat to Secondary Side Bar"),
  );
  await view.locator(".answer").getByText("Somebody else").waitFor();
  await stage.picture("tabs-secondary");
  await until(inPrimary, () => runCommand(page, "Glossator: Move Chat to Primary Side Bar"));
  await view.locator(".answer").getByText("Somebody else").waitFor();
  await page.locator(".part.auxiliarybar").waitFor({ state: "hidden" }); // and no empty bar is left
  await stage.picture("tabs-primary");
  await runCommand(page, "View: Close All Editors");
}

/** The content of one of several webviews. */
function framed(page, which) {
  return page.frameLocator(`iframe.webview.ready${which}`).frameLocator("iframe#active-frame");
}

/** Write a question into a chat and send it. */
async function ask(chat, question) {
  await until(chat.locator(".said, .turn").getByText(question).first(), async () => {
    const box = chat.locator(".composer textarea");
    await box.fill(question);
    await box.press("Enter");
  });
}
