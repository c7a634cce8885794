import assert from "node:assert/strict";
import { test } from "node:test";
import { Choices, modeOf, type Run } from "../../src/choices.ts";
import type { Mode, StatusAnswer } from "../../src/wire.ts";

const refusals: unknown[] = [];
const refused = (error: unknown) => refusals.push(error);
const told: unknown[] = [];
const run = (async (command: string, request: object) => {
  told.push([command, request]);
}) as unknown as Run;

/** What the server says of sessions, and of the next one. */
function status(mode: Mode, ...each: readonly [string, Mode][]) {
  return { mode, modes: each.map(([sessionId, own]) => ({ sessionId, mode: own })) };
}

async function tellings(choices: Choices): Promise<unknown[]> {
  told.length = 0;
  await choices.tell(run);
  return [...told];
}

test("a server that begins is told what was chosen, each time", async () => {
  const choices = new Choices(refused);
  assert.deepEqual(await tellings(choices), []);
  choices.choseMode("plan", undefined);
  choices.choseModel("large");
  const both = [
    ["glossator.setMode", { mode: "plan", once: true }],
    ["glossator.setModel", { model: "large" }],
  ];
  assert.deepEqual(await tellings(choices), both);
  assert.deepEqual(await tellings(choices), both);
});

test("a setting that is changed later counts more than the choice", async () => {
  const choices = new Choices(refused);
  choices.choseMode("auto", undefined);
  choices.choseModel("large");
  choices.forget((setting) => setting === "glossator.models");
  assert.deepEqual(await tellings(choices), [["glossator.setMode", { mode: "auto", once: true }]]);
  choices.forget((setting) => setting === "glossator.permissions.mode");
  assert.deepEqual(await tellings(choices), []);
});

test("a mode that was chosen for a new session is that of one", async () => {
  const choices = new Choices(refused);
  choices.choseMode("plan", undefined);
  choices.began(status("ask", ["s-1", "plan"]));
  assert.deepEqual(await tellings(choices), [
    ["glossator.setMode", { mode: "plan", sessionId: "s-1" }],
  ]);
});

test("a session keeps its mode when the setting for new ones is changed", async () => {
  const choices = new Choices(refused);
  choices.choseMode("auto", undefined);
  choices.choseMode("plan", "s-1");
  choices.began(status("auto", ["s-2", "ask"]));
  choices.forget((setting) => setting === "glossator.permissions.mode");
  assert.deepEqual(await tellings(choices), [
    ["glossator.setMode", { mode: "plan", sessionId: "s-1" }],
    ["glossator.setMode", { mode: "ask", sessionId: "s-2" }],
  ]);
});

test("a model that is refused is forgotten, and the mode is not", async () => {
  const choices = new Choices(refused);
  choices.choseMode("plan", undefined);
  choices.choseModel("gone");
  const refusing = (async (command: string) => {
    if (command === "glossator.setModel") {
      throw new Error("no such model");
    }
  }) as unknown as Run;
  await choices.tell(refusing);
  assert.match(String(refusals), /no such model/);
  assert.deepEqual(await tellings(choices), [["glossator.setMode", { mode: "plan", once: true }]]);
});

test("a mode that cannot be set is a server that cannot be used", async () => {
  const choices = new Choices(refused);
  choices.choseMode("plan", undefined);
  await assert.rejects(choices.tell((() => Promise.reject(new Error("gone"))) as unknown as Run));
});

test("each session has the mode that it began in, or was given since", async () => {
  const choices = new Choices(refused);
  choices.began(status("ask", ["s-1", "ask"]));
  choices.choseMode("auto", undefined);
  choices.choseMode("plan", "s-2");
  choices.began(status("auto", ["s-1", "auto"])); // its second run
  choices.began(status("auto", ["s-2", "auto"]));
  choices.began(status("auto", ["s-3", "auto"])); // an edit in place
  choices.gone("s-3");
  assert.deepEqual(await tellings(choices), [
    ["glossator.setMode", { mode: "auto", once: true }],
    ["glossator.setMode", { mode: "ask", sessionId: "s-1" }],
    ["glossator.setMode", { mode: "plan", sessionId: "s-2" }],
  ]);
});

test("the mode that a panel shows is its session's, and that of the next one where none has begun", () => {
  const answer = { mode: "auto", usualMode: "ask", modes: [{ sessionId: "s-1", mode: "plan" }] };
  const shown = (sessionId?: string) => modeOf(answer as unknown as StatusAnswer, sessionId);
  assert.deepEqual([shown("s-1"), shown("s-2"), shown()], ["plan", "ask", "auto"]);
  assert.equal(modeOf(undefined, "s-1"), "ask");
});

/** Choices of one window after another, and what they keep. */
function windows(kept: Record<string, Mode> = {}) {
  const keeping = {
    modes: kept,
    keep(modes: Readonly<Record<string, Mode>>) {
      keeping.modes = modes;
    },
  };
  return { keeping, open: () => new Choices(refused, keeping) };
}

test("a mode outlives the window if the user chose it for its session, and is not auto", async () => {
  const { keeping, open } = windows({ "as-kept-before": "auto" });
  const choices = open();
  assert.deepEqual(await tellings(choices), []);
  choices.choseMode("plan", "s-1");
  choices.choseMode("acceptEdits", "s-2");
  choices.choseMode("auto", "s-2");
  choices.began(status("auto", ["s-3", "auto"], ["s-4", "ask"])); // as the setting said
  choices.choseMode("acceptEdits", undefined);
  choices.began(status("ask", ["in-place", "ask"], ["s-5", "acceptEdits"]));
  assert.deepEqual(keeping.modes, { "s-1": "plan", "s-5": "acceptEdits" });
  choices.gone("s-1");
  assert.deepEqual(await tellings(open()), [
    ["glossator.setMode", { mode: "acceptEdits", sessionId: "s-5" }],
  ]);
});

test("of chosen modes the newest fifty are kept, whatever begins meanwhile", () => {
  const { keeping, open } = windows();
  const choices = open();
  for (let number = 0; number < 51; number++) {
    choices.choseMode("plan", `s-${number}`);
  }
  choices.choseMode("acceptEdits", "s-1");
  for (let number = 0; number < 60; number++) {
    choices.began(status("ask", [`in-place-${number}`, "ask"]));
  }
  const kept = Object.keys(keeping.modes);
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [50, "s-2", "s-1"]);
});
