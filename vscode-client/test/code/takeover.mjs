// A session that a terminal has open is continued in VS Code, by keyboard alone: the list says where it is
// open, Enter leads to what takes it over, the next question goes on from there, and the terminal is told.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quickInput } from "./gestures.mjs";

export const files = { "takeover.py": "FISH = 2\n" };

const [FIRST, SECOND] = ["How many fish are there?", "And how deep do they dive?"];
const QUIET = `[plan]
dispatch = "off"
[grounding]
entailment = false
correction = "off"
[sessions]
titles = false
`;
const PSEUDO_TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])";

export async function story(stage) {
  const { model, page, panel } = stage;
  const { keyboard } = page;
  await model.plays(["Two of them."], ["Two metres."]);
  const terminal = chat(stage);
  try {
    await terminal.shows("/quit or Ctrl-D ends.");
    terminal.type(`${FIRST}\r`);
    await terminal.shows("Two of them.");
    await terminal.shows("(--resume)");

    await quickInput(page, "F1", ">Glossator: Resume Session…");
    await keyboard.press("Enter");
    const row = page.locator(".quick-input-widget .monaco-list-row", { hasText: FIRST });
    await row.getByText("open in a terminal").waitFor();
    await stage.picture("takeover-list");
    await keyboard.type("how many fish");
    await row.first().waitFor();
    await keyboard.press("Enter");
    await panel.getByText("This session is open in a terminal. Here it is only read.").waitFor();
    await stage.picture("takeover-read");

    await panel.locator(".composer textarea:focus").waitFor();
    await keyboard.type(SECOND);
    await keyboard.press("Enter");
    await panel.locator("#open-elsewhere button:focus").waitFor();
    await keyboard.press("Enter");
    await panel.locator("#open-elsewhere").waitFor({ state: "detached" });
    await terminal.shows("taken over");
    await panel.locator(".composer textarea:focus").waitFor();
    await keyboard.press("Enter");
    await panel.locator(".answer").getByText("Two metres.").waitFor();
    await stage.picture("takeover-goes-on");
    const { requests } = await model.told();
    const last = JSON.stringify(requests.at(-1).messages);
    assert.ok(last.includes(FIRST) && last.includes(SECOND), "it is the same conversation");
  } finally {
    terminal.end();
  }
}

/** `glossator chat` at a terminal of its own, with the settings and the state of the window's user. */
function chat({ window, model, workspace, python }) {
  const folder = join(window.folder, "home/.config/glossator"); // the window's server has begun already
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), QUIET);
  const env = {
    ...process.env,
    HOME: join(window.folder, "home"),
    TMPDIR: join(window.folder, "tmp"),
    XDG_RUNTIME_DIR: join(window.folder, "tmp"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: model.url,
    TERM: "xterm-256color",
  };
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]) {
    delete env[name];
  }
  const words = ["-m", "glossator", "chat", "--model", "claude-sonnet-5-5"];
  const child = spawn(python, ["-c", PSEUDO_TERMINAL, python, ...words], { cwd: workspace, env });
  let seen = "";
  let read = 0;
  const heard = (bytes) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours and movements begin with one
    seen += String(bytes).replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  return {
    type: (keys) => child.stdin.write(keys),
    async shows(text) {
      const end = performance.now() + 60_000;
      while (seen.indexOf(text, read) < 0) {
        assert.ok(performance.now() < end, `the terminal does not show ${text}: ${seen}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      read = seen.indexOf(text, read) + text.length;
    },
    end: () => child.kill(),
  };
}
