import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptQueues, type Outgoing, Queue, Queueing } from "../../src/chat/queue.ts";

const message = (id: string, question = id) => ({ id, question, chips: [] });

/** A conversation whose runs end when the test says so. */
class Scene {
  readonly conversation = { queue: new Queue() };
  readonly asked: string[] = [];
  readonly steered: string[] = [];
  readonly carriedOut: string[] = [];
  isShown = true;
  afterRun: Promise<void> = Promise.resolve();
  run: string | undefined = "r";
  #answer: (steered: boolean) => void = () => undefined;
  #refuse: (error: Error) => void = () => undefined;

  readonly queueing = new Queueing<{ queue: Queue }>({
    runOf: () => this.run,
    steer: (_, { question }, signal) => {
      this.steered.push(question);
      return new Promise((resolve, reject) => {
        this.#answer = resolve;
        this.#refuse = reject;
        signal.addEventListener("abort", () => reject(new Error("cancelled")));
      });
    },
    ask: async (_, { question }: Outgoing) => {
      this.asked.push(question);
      this.run = `run of ${question}`;
      await this.afterRun;
    },
    carryOut: async (conversation, { question }) => {
      assert.equal(conversation, this.conversation); // which need not be the one used last
      this.carriedOut.push(question);
    },
    isShown: () => this.isShown,
    show: () => undefined,
  });

  get waiting(): string[] {
    return this.conversation.queue.messages.map(({ id, state }) => `${id} ${state}`);
  }

  async add(...ids: string[]): Promise<void> {
    for (const id of ids) {
      await this.queueing.add(this.conversation, message(id), false);
    }
  }

  async ends(problem = ""): Promise<void> {
    this.run = undefined;
    await this.queueing.ended(this.conversation, problem);
  }

  async answers(steered: boolean | Error): Promise<void> {
    steered instanceof Error ? this.#refuse(steered) : this.#answer(steered);
    await new Promise(setImmediate);
  }
}

test("each run's end sends the next, in order", async () => {
  const scene = new Scene();
  await scene.add("a", "b");
  assert.deepEqual(scene.asked, []);
  await scene.ends();
  assert.deepEqual(scene.asked, ["a"]);
  assert.deepEqual(scene.waiting, ["b waiting"]);
  await scene.ends();
  assert.deepEqual(scene.asked, ["a", "b"]);
});

test("after a stopped or failed run it waits for the user", async () => {
  const scene = new Scene();
  await scene.add("a", "b");
  await scene.ends("The run was stopped.");
  assert.deepEqual(scene.asked, []);
  assert.equal(scene.conversation.queue.held, "The run was stopped.");
  await scene.queueing.goOn(scene.conversation);
  assert.deepEqual(scene.asked, ["a"]);
  await scene.ends("The run failed.");
  await scene.queueing.send(scene.conversation, "b");
  assert.deepEqual(scene.asked, ["a", "b"]);
  assert.equal(scene.conversation.queue.held, "");
});

test("a queue that a run's end holds goes on with the user: by a message, or an answer", async () => {
  const [one, other] = [new Scene(), new Scene()];
  for (const scene of [one, other]) {
    await scene.add("a");
    await scene.ends("The run failed.");
    scene.run = "asked by hand";
  }
  await one.add("c");
  assert.equal(one.conversation.queue.held, "");
  await one.ends();
  assert.deepEqual(one.asked, ["a"]);
  assert.equal(other.conversation.queue.held, "The run failed.");
  await other.ends();
  assert.deepEqual(other.asked, ["a"]);
});

test("a hold for another reason, or a run that did not begin, lets nothing go", async () => {
  const scene = new Scene();
  const { queue } = scene.conversation;
  await scene.add("a");
  queue.hold("They were not sent before.");
  await scene.add("b");
  await scene.ends("The run failed.");
  await scene.ends();
  assert.equal(queue.held, "They were not sent before.");
  queue.hold("");
  queue.runEnded("The run failed.");
  await scene.queueing.ended(scene.conversation, undefined);
  assert.equal(queue.held, "The run failed.");
  assert.deepEqual(scene.asked, []);
});

test("one that is edited is not sent, nor what follows it", async () => {
  const scene = new Scene();
  const { queue } = scene.conversation;
  await scene.add("a", "b");
  await scene.queueing.change(scene.conversation, () => queue.change("a", { state: "editing" }));
  await scene.ends();
  assert.deepEqual(scene.asked, []);
  await scene.queueing.change(scene.conversation, () =>
    queue.change("a", { state: "waiting", question: "A" }),
  );
  assert.deepEqual(scene.asked, ["A"]);
});

test("an edit that is left is as it was, and waits for the user with what follows it", async () => {
  const scene = new Scene();
  const { queue } = scene.conversation;
  await scene.add("a", "b");
  queue.change("a", { state: "editing" });
  await scene.ends();
  queue.stopEditing();
  await scene.queueing.advance(scene.conversation);
  assert.deepEqual([scene.asked, scene.waiting], [[], ["a waiting", "b waiting"]]);
  assert.equal(queue.held, "A message was being edited.");
  await scene.queueing.goOn(scene.conversation);
  assert.deepEqual(scene.asked, ["a"]);
});

test("a conversation is known as long as messages wait in it, or are being sent", async () => {
  const scene = new Scene();
  const { queueing, conversation } = scene;
  const known = () => queueing.conversations.has(conversation);
  await scene.add("a");
  assert.ok(known());
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.afterRun = promise;
  scene.run = undefined;
  const ending = queueing.ended(conversation, "");
  assert.deepEqual(scene.waiting, []);
  assert.ok(known()); // its end is not dealt with yet
  resolve();
  await ending;
  assert.ok(!known());
});

test("a steered message goes when the model was told; else it is the next question", async () => {
  const scene = new Scene();
  await scene.add("a");
  const first = scene.queueing.add(scene.conversation, message("s"), true);
  assert.deepEqual(scene.waiting, ["a waiting", "s steering"]);
  await scene.answers(true);
  await first;
  assert.deepEqual(scene.waiting, ["a waiting"]);
  const second = scene.queueing.add(scene.conversation, message("t"), true);
  await scene.ends();
  assert.deepEqual(scene.asked, []); // its answer is on the way
  await scene.answers(false);
  await second;
  assert.deepEqual(scene.asked, ["t"]);
  assert.deepEqual(scene.waiting, ["a waiting"]);
});

test("words for a run are taken back, or refused, and not lost", async () => {
  const scene = new Scene();
  const first = scene.queueing.add(scene.conversation, message("s"), true);
  scene.queueing.takeBack("s");
  await first;
  assert.deepEqual(scene.waiting, ["s waiting"]);
  assert.equal(scene.conversation.queue.held, "");
  const again = scene.queueing.send(scene.conversation, "s");
  await scene.answers(new Error("A hook refuses this."));
  await again;
  assert.deepEqual(scene.waiting, ["s waiting"]);
  assert.equal(scene.conversation.queue.held, "A hook refuses this.");
});

test("a command of the chat is next, but does not steer", async () => {
  const scene = new Scene();
  await scene.add("a");
  await scene.queueing.add(scene.conversation, message("c", "/compact"), true);
  assert.deepEqual(scene.steered, []);
  assert.deepEqual(scene.waiting, ["c waiting", "a waiting"]);
});

test("what begins with a / word is carried out where it is shown, be it known or not", async () => {
  const scene = new Scene();
  for (const question of ["/compact", "/exlpain this", "/etc/passwd holds what?"]) {
    await scene.queueing.add(scene.conversation, message(question), false);
  }
  await scene.ends();
  assert.deepEqual(scene.carriedOut, ["/compact", "/exlpain this"]);
  assert.deepEqual(scene.asked, ["/etc/passwd holds what?"]);
  scene.isShown = false;
  await scene.add("/exlpain this");
  await scene.ends();
  assert.deepEqual(scene.waiting, ["/exlpain this waiting"]);
  assert.match(scene.conversation.queue.held, /carried out in the session that is shown/);
});

test("what cannot be asked stays the next", async () => {
  const scene = new Scene();
  const failing = new Queueing<{ queue: Queue }>({
    runOf: () => undefined,
    steer: async () => false,
    ask: async () => {
      throw new Error("No.");
    },
    carryOut: async () => undefined,
    isShown: () => true,
    show: () => undefined,
  });
  await failing.add(scene.conversation, message("a"), false);
  assert.deepEqual(scene.waiting, ["a waiting"]);
  assert.equal(scene.conversation.queue.held, "No.");
});

test("order, and what is kept for another window", () => {
  const queue = new Queue([message("a"), message("b"), message("c")], "They were not sent before.");
  queue.move("c", "up");
  queue.move("a", "up");
  queue.move("b", "top");
  queue.move("a", "down");
  const ids = queue.messages.map(({ id }) => id);
  assert.deepEqual(ids, ["b", "c", "a"]);
  assert.equal(queue.next, undefined);
  assert.deepEqual(queue.kept, [message("b"), message("c"), message("a")]);
  for (const id of ids) {
    queue.remove(id);
  }
  assert.equal(queue.held, "");
});

test("queues are kept by session, and wait for the user in another window", () => {
  const stored = new Map<string, unknown>();
  const queues = new KeptQueues({
    get: <T>(key: string, otherwise: T) => (stored.get(key) as T | undefined) ?? otherwise,
    update: async (key, value) => void stored.set(key, value),
  });
  queues.keep("s", [message("a")]);
  queues.keep("t", [message("b")]);
  queues.keep("t", []);
  assert.deepEqual(queues.of("s").kept, [message("a")]);
  assert.equal(queues.of("s").held, "They were not sent before.");
  assert.deepEqual(queues.of("t").messages, []);
});
