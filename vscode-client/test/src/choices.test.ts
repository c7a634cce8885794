import assert from "node:assert/strict";
import { test } from "node:test";
import { Choices, type Run } from "../../src/choices.ts";

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
  choices.choseMode("plan");
  choices.choseModel("large");
  const both = [
    ["glossator.setMode", { mode: "plan" }],
    ["glossator.setModel", { model: "large" }],
  ];
  assert.deepEqual(await tellings(choices), both);
  assert.deepEqual(await tellings(choices), both);
});

test("a setting that is changed later counts more than the choice", async () => {
  const choices = new Choices(refused);
  choices.choseMode("auto");
  choices.choseModel("large");
  choices.forget((setting) => setting === "glossator.models");
  assert.deepEqual(await tellings(choices), [["glossator.setMode", { mode: "auto" }]]);
  choices.forget((setting) => setting === "glossator.permissions.mode");
  assert.deepEqual(await tellings(choices), []);
});

test("a model that is refused is forgotten, and the mode is not", async () => {
  const choices = new Choices(refused);
  choices.choseMode("plan");
  choices.choseModel("gone");
  const refusing = (async (command: string) => {
    if (command === "glossator.setModel") {
      throw new Error("no such model");
    }
  }) as unknown as Run;
  await choices.tell(refusing);
  assert.match(String(refusals), /no such model/);
  assert.deepEqual(await tellings(choices), [["glossator.setMode", { mode: "plan" }]]);
});

test("a mode that cannot be set is a server that cannot be used", async () => {
  const choices = new Choices(refused);
  choices.choseMode("plan");
  await assert.rejects(choices.tell((() => Promise.reject(new Error("gone"))) as unknown as Run));
});
