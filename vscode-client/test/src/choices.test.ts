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
  choices.began("s-1", "plan", "ask");
  assert.deepEqual(await tellings(choices), [
    ["glossator.setMode", { mode: "plan", sessionId: "s-1" }],
  ]);
});

test("a session keeps its mode when the setting for new ones is changed", async () => {
  const choices = new Choices(refused);
  choices.choseMode("auto", undefined);
  choices.choseMode("plan", "s-1");
  choices.began("s-2", "ask", "auto");
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
  choices.began("s-1", "ask", "ask");
  choices.choseMode("auto", undefined);
  choices.choseMode("plan", "s-2");
  choices.began("s-1", "auto", "auto"); // its second run
  choices.began("s-2", "auto", "auto");
  choices.began("s-3", "auto", "auto"); // an edit in place
  choices.gone("s-3");
  assert.deepEqual(await tellings(choices), [
    ["glossator.setMode", { mode: "auto", once: true }],
    ["glossator.setMode", { mode: "ask", sessionId: "s-1" }],
    ["glossator.setMode", { mode: "plan", sessionId: "s-2" }],
  ]);
});

test("the mode that a panel shows is its session's", () => {
  const status = { mode: "auto", modes: [{ sessionId: "s-1", mode: "plan" }] };
  const shown = (sessionId?: string) => modeOf(status as unknown as StatusAnswer, sessionId);
  assert.deepEqual([shown("s-1"), shown("s-2"), shown()], ["plan", "auto", "auto"]);
  assert.equal(modeOf(undefined, "s-1"), "ask");
});

test("the modes of sessions outlive the window, the newest fifty; that of the next session does not", async () => {
  let kept: Readonly<Record<string, Mode>> = {};
  const keeping = () => new Choices(refused, { modes: kept, keep: (modes) => (kept = modes) });
  const choices = keeping();
  choices.choseMode("auto", "first");
  for (let number = 0; number < 49; number++) {
    choices.began(`s-${number}`, "ask", "ask");
  }
  choices.choseMode("plan", "first");
  choices.began("last", "ask", "ask");
  choices.choseMode("acceptEdits", undefined);
  const told = (await tellings(keeping())) as [string, { sessionId?: string; mode: Mode }][];
  assert.equal(told.length, 50);
  assert.deepEqual(
    told.slice(-2).map(([, { sessionId, mode }]) => [sessionId, mode]),
    [
      ["first", "plan"],
      ["last", "ask"],
    ],
  );
});
