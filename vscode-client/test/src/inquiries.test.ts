// What is asked while the panel is hidden, and while it comes and goes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToPanel } from "../../src/panel/messages.ts";
import { Inquiries, type Inquiry, type Sheet } from "../../src/ports/inquiries.ts";

interface Notice {
  readonly message: string;
  readonly buttons: readonly string[];
  readonly press: (button: string | undefined) => void;
}

/** A window in which nothing happens by itself. */
class FakeWindow {
  visible = false;
  canReveal = true;
  taken: (() => void) | undefined;
  readonly posted: ToPanel[] = [];
  readonly notices: Notice[] = [];
  readonly revealed: string[] = [];
  readonly shown: string[] = [];
  readonly picks: Array<{ signal: AbortSignal; pick: (answer: string | undefined) => void }> = [];
  readonly inquiries = new Inquiries(
    {
      get visible(): boolean {
        return fake.visible;
      },
      post: (message) => this.posted.push(message),
      reveal: async (sessionId) => {
        this.revealed.push(sessionId);
        if (this.canReveal) {
          this.move(true);
        }
        return this.canReveal;
      },
    },
    {
      notify: (message, ...buttons) =>
        new Promise((press) => this.notices.push({ message, buttons, press })),
      goTo: async (sessionId) => {
        this.shown.push(sessionId);
      },
      changed: () => undefined,
      failed: (error) => assert.fail(String(error)),
    },
  );

  /** Ask for a permission. */
  ask(summary = "Run this command? make", sessionId = "s1"): Promise<unknown> {
    const inquiry: Inquiry<string> = {
      summary,
      sessionId,
      sessionTitle: "Mend the till",
      refusal: { label: "Deny", answer: "denied" },
      message: (id) => ({ type: "permission", id, request: {} as never }),
      ask: (signal) => new Promise((pick) => this.picks.push({ signal, pick })),
      open: async () => undefined,
    };
    const token = {
      onCancellationRequested: (taken: () => void) => {
        this.taken = taken;
        return { dispose: () => undefined };
      },
    };
    return this.inquiries.ask(inquiry, token);
  }

  /** The panel comes into sight or goes out of it. */
  move(visible: boolean): void {
    this.visible = visible;
    this.inquiries.moved();
  }

  /** The ids of the cards that were posted, in their order. */
  get cards(): string[] {
    return this.posted.flatMap((each) => (each.type === "permission" ? [each.id] : []));
  }
}

let fake: FakeWindow;

function open(): FakeWindow {
  fake = new FakeWindow();
  return fake;
}

/** Let everything that waits go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("with the panel hidden a notification tells of it, names the session, and no picker opens", async () => {
  const { ask, notices, picks, inquiries } = bound(open());
  void ask();
  const [notice] = notices;
  assert.match(notice?.message ?? "", /"Mend the till".*Run this command\? make/);
  assert.deepEqual(notice?.buttons, ["Show…", "Deny"]);
  notice?.press(undefined); // it is closed, or goes by itself
  await settled();
  assert.deepEqual(picks, []);
  assert.equal(inquiries.waiting.length, 1, "it still waits");
});

test("Deny on the notification denies", async () => {
  const { ask, notices } = bound(open());
  const answer = ask();
  notices[0]?.press("Deny");
  assert.equal(await answer, "denied");
});

test("Show… brings its card, in its session, and the focus there", async () => {
  const { ask, notices, picks } = bound(open());
  void ask();
  notices[0]?.press("Show…");
  await settled();
  const [id] = fake.cards;
  assert.deepEqual([fake.revealed, fake.shown], [["s1"], ["s1"]]);
  assert.deepEqual(fake.posted.at(-1), { type: "focusAsk", id });
  assert.deepEqual(picks, []);
});

test("where the panel does not come up a picker is shown, and closing it is no answer", async () => {
  const { ask, notices, picks } = bound(open());
  fake.canReveal = false;
  const answer = ask();
  notices[0]?.press("Show…");
  await settled();
  picks[0]?.pick(undefined);
  await settled();
  assert.equal(notices.length, 2, "it is told of again");
  notices[1]?.press("Show…");
  await settled();
  picks[1]?.pick("allowed");
  assert.equal(await answer, "allowed");
});

test("a card is the same one wherever the panel was meanwhile, and goes once it is answered", async () => {
  const { ask, inquiries } = bound(open());
  fake.visible = true;
  const answer = ask();
  fake.move(false);
  fake.move(true);
  const [id, again, ...more] = fake.cards;
  assert.ok(id);
  assert.deepEqual([again, more], [id, []]);
  inquiries.answer(id, "allowed");
  inquiries.answer(id, "allowed twice");
  assert.equal(await answer, "allowed");
  assert.deepEqual(fake.posted.at(-1), { type: "withdrawn", id });
  fake.move(true);
  assert.equal(fake.cards.length, 2);
});

test("what the user started is asked about at once, and nothing of a session with it", async () => {
  const { notices, inquiries } = bound(open());
  const answer = inquiries.expecting(async () => {
    void fake.ask();
    return await fake.ask("May the server run?", "");
  });
  await settled();
  assert.match(notices[0]?.message ?? "", /Run this command/);
  assert.equal(notices.length, 1);
  const [, id] = fake.cards;
  assert.deepEqual(fake.posted.at(-1), { type: "focusAsk", id });
  inquiries.answer(id ?? "", "allowed");
  assert.equal(await answer, "allowed");
  void fake.ask("May another server run?", "");
  assert.equal(fake.posted.at(-1)?.type, "permission", "it waits for its turn");
});

test("a notification that is late says that nothing waits", async () => {
  const { ask, notices } = bound(open());
  const answer = ask();
  fake.taken?.();
  assert.equal(await answer, null);
  notices[0]?.press("Show…");
  await settled();
  assert.match(notices[1]?.message ?? "", /no answer any more/);
  assert.deepEqual(fake.shown, []);
});

test("the server's end voids all that it asked, and says so", async () => {
  const { ask, notices, inquiries } = bound(open());
  fake.visible = true;
  const answers = Promise.all([ask("Run this command? a"), ask("Run this command? b")]);
  inquiries.withdrawAll();
  assert.deepEqual(await answers, [null, null]);
  assert.deepEqual(inquiries.waiting, []);
  assert.equal(fake.posted.filter(({ type }) => type === "withdrawn").length, 2);
  assert.match(notices[0]?.message ?? "", /server ended.*command\? a; Run this command\? b/);
});

function bound(window: FakeWindow) {
  const { notices, picks, inquiries } = window;
  return { ask: (summary?: string) => window.ask(summary), notices, picks, inquiries };
}

test("what is answered at another place needs no card any more, and the other way round", async () => {
  let sheet: Sheet<string> | undefined;
  let gone = 0;
  let changed = 0;
  const token = { onCancellationRequested: () => ({ dispose: () => undefined }) };
  const ask = () => {
    fake = new FakeWindow();
    fake.visible = true;
    const inquiry: Inquiry<string> = {
      summary: "Edit a.py?",
      sessionId: "s1",
      sessionTitle: "Mend the till",
      refusal: { label: "Deny", answer: "denied" },
      message: (id) => ({ type: "permission", id, request: {} as never }),
      ask: async () => undefined,
      open: async () => undefined,
      complete: (given, leftOut) => [given, ...leftOut].join(" without "),
      beside: (given) => {
        sheet = given;
        return { dispose: () => (gone += 1), changed: () => (changed += 1) };
      },
    };
    return fake.inquiries.ask(inquiry, token);
  };
  const inDiff = ask();
  sheet?.answer("accepted");
  assert.equal(await inDiff, "accepted");
  assert.deepEqual(
    fake.posted.map(({ type }) => type),
    ["permission", "withdrawn"],
  );
  assert.equal(gone, 1);
  const onCard = ask();
  const [card] = fake.posted;
  const id = card?.type === "permission" ? card.id : "";
  fake.inquiries.leaveOut(id, "1", true);
  sheet?.leaveOut("2", true);
  fake.inquiries.leaveOut(id, "1", false);
  assert.equal(changed, 3);
  assert.deepEqual([...(sheet?.leftOut() ?? [])], ["2"]);
  assert.deepEqual(fake.posted.at(-1), { type: "leftOut", id, parts: ["2"] });
  fake.move(true);
  assert.deepEqual(fake.posted.at(-1), { type: "leftOut", id, parts: ["2"] });
  fake.inquiries.answer(id, "allowed");
  assert.equal(await onCard, "allowed without 2");
  assert.equal(gone, 2);
});
