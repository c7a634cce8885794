import assert from "node:assert/strict";
import { harness, panelTest } from "./harness/opened.ts";
import { oneTurn, situation, stream } from "./harness/streams.ts";

const TURNS = 500; // a question and an answer each: 1,000 messages

interface View {
  readonly drawn: number;
  readonly fromEnd: number;
  readonly last: boolean;
}

/** How many turns are drawn, how far the view is from the end, and whether the last one is seen. */
async function view(): Promise<View> {
  return await harness.page.evaluate(() => {
    const box = document.querySelector(".transcript") ?? document.body;
    const turns = [...document.querySelectorAll(".turn")];
    const last = turns.at(-1)?.getBoundingClientRect();
    return {
      drawn: turns.filter((turn) => turn.childElementCount > 0).length,
      fromEnd: Math.round(box.scrollHeight - box.scrollTop - box.clientHeight),
      last: (last?.top ?? Infinity) < innerHeight,
    };
  });
}

/** Until nothing moves any more. */
async function settled(): Promise<void> {
  await harness.page.evaluate(async () => {
    for (let calm = 0, height = 0; calm < 3; ) {
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      const now = document.querySelector(".transcript")?.scrollHeight ?? 0;
      calm = now === height ? calm + 1 : 0;
      height = now;
    }
  });
}

panelTest("of 1,000 messages only those near the view are drawn", async () => {
  await harness.tell(situation());
  await harness.page.evaluate(
    ({ one, turns }) => {
      const ids = Array.from({ length: turns }, (_, at) => `run ${at}`);
      const events = ids.flatMap((runId) => one.map((event) => ({ ...event, runId })));
      const data = { type: "replay", sessionId: "s1", events, answers: [] };
      window.dispatchEvent(new MessageEvent("message", { data }));
    },
    { one: oneTurn(), turns: TURNS },
  );
  await settled();
  const atEnd = await view();
  assert.ok(atEnd.last && atEnd.fromEnd === 0, JSON.stringify(atEnd));
  assert.ok(atEnd.drawn < 10, JSON.stringify(atEnd));

  await harness.page.evaluate(() =>
    document.querySelector(".transcript")?.scrollTo({ top: 40_000 }),
  );
  await settled();
  const amid = await view();
  assert.ok(amid.drawn >= 2 && amid.drawn < 12 && !amid.last, JSON.stringify(amid));

  await harness.tell(...stream("offline"));
  await settled();
  assert.ok(!(await view()).last, "what arrives does not take the reader away");

  await harness.page.getByRole("button", { name: "To the end of the conversation" }).click();
  await settled();
  await harness.tell(...stream("edits"));
  await settled();
  assert.equal((await view()).fromEnd, 0, "at the end the view follows");
});
