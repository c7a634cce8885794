// Plans inside the extension host: what becomes of one that is changed, left, or cannot be started.

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { startPlan } from "../../src/commands/plans.ts";
import type { Workbench } from "../../src/commands/workbench.ts";
import { Plans } from "../../src/editor/plans.ts";
import { ready, type Tests, until } from "./hosted.ts";

const PLAN = "1. Add the tax.";

/** What these tests are about. */
export const planTests: Tests = {
  async "a plan that could not be started leaves the mode as it was"() {
    const { chat, plans, server } = await ready();
    await vscode.commands.executeCommand("glossator.newSession");
    await vscode.commands.executeCommand("glossator.ask", { question: "What is an area?" });
    await server.run("glossator.deleteSession", { sessionId: chat.sessionId ?? "" });
    const run = async (name: string, ...given: readonly unknown[]) => {
      await vscode.commands.executeCommand(name, ...given);
    };
    await startPlan({ chat, plans, server, run } as unknown as Workbench, "auto");
    assert.equal(chat.shown.transcript.events.at(-1)?.kind, "run.failed");
    assert.equal((await server.run("glossator.status", {})).mode, "ask");
  },

  async "a plan that was changed is so in another window, until it is left or the session goes on"() {
    const glossator = await ready();
    glossator.plans.dispose(); // documents of one kind are served once
    const stored = new Map<string, unknown>();
    const memento = {
      get: (key: string, otherwise?: unknown) => (stored.get(key) ?? otherwise) as never,
      keys: () => [],
      update: async (key: string, value: unknown) => void stored.set(key, value),
    };
    const failed = (error: unknown) => assert.fail(String(error));
    let plans = new Plans(memento, failed);
    const again = () => {
      plans.dispose();
      plans = new Plans(memento, failed);
    };
    plans.offer("s", PLAN, [{ label: "Start", icon: "play", take: () => undefined }]);
    const uri = vscode.Uri.from({ scheme: "glossator-plan", path: "/1/Plan.md" });
    plans.writeFile(uri, new TextEncoder().encode("1. Ask first."));
    assert.equal(plans.changed("s"), "1. Ask first.");
    again();
    assert.equal(plans.changed("s"), "1. Ask first.");
    plans.leave("s");
    await until(async () => (plans.changed("s") === "" ? [true] : []));
    again();
    assert.deepEqual([plans.isLeft("s"), plans.changed("s")], [true, ""]);
    plans.offer("s", PLAN, []);
    assert.deepEqual([plans.isLeft("s"), plans.changed("s")], [false, "1. Ask first."]);
    plans.dispose();
  },
};
