// What a screen reader is told without being asked: answers when they are whole, and what is waited for.

import { useEffect, useState } from "preact/hooks";
import { plural } from "../src/commands/markdown.ts";
import type { Queued } from "../src/panel/messages.ts";
import { shown } from "../src/shown.ts";
import { BECAME } from "../src/wire.ts";
import { holds } from "./markdown/citation.ts";
import { rewritten } from "./state/cites.ts";
import { type Ask, isLive, type Turn } from "./state/model.ts";
import { sourcesOf, stateOf, verdictsOf } from "./state/sources.ts";
import { asks, queue, turns } from "./store.ts";

/** A region that is not seen. */
export function Announcer() {
  const [words, setWords] = useState("");
  const turn = turns.value.at(-1);
  const ask = asks.value.at(-1);
  const live = turn !== undefined && isLive(turn);
  const [wasLive, setWasLive] = useState(false);
  useEffect(() => {
    if (live) {
      setWords("Glossator is working.");
    } else if (wasLive && turn) {
      setWords(endInWords(turn));
    }
    setWasLive(live);
  }, [live, turn?.runId]);
  const { messages, held } = queue.value;
  const waiting = queueInWords(messages, held);
  useEffect(() => {
    setWords((before) => waiting || before);
  }, [waiting]);
  const told = live ? turn.parts.filter((part) => part.kind === "said") : [];
  useEffect(() => {
    const [last] = told.slice(-1);
    if (last) {
      setWords(`The model was told: ${shown(last.text)}`);
    }
  }, [turn?.runId, told.length]);
  useEffect(() => {
    if (ask) {
      setWords(askInWords(ask)); // before all others, which have spoken above
    }
  }, [ask?.id, waiting, told.length]);
  return (
    <div class="unseen" aria-live="polite" aria-atomic="true">
      {words}
    </div>
  );
}

/** What waits, and what it waits for; "" if nothing does. */
function queueInWords(messages: readonly Queued[], held: string): string {
  if (messages.length === 0) {
    return "";
  }
  const steering = messages.filter(({ state }) => state === "steering").length;
  const queued = messages.length - steering;
  return [
    ...(steering > 0
      ? [`${plural(steering, "message goes", "messages go")} to the model now.`]
      : []),
    ...(queued > 0
      ? [`${plural(queued, "message", "messages")} ${queued === 1 ? "waits" : "wait"}.`]
      : []),
    ...(held ? [`Not sent yet. ${held}`] : []),
  ].join(" ");
}

function askInWords(ask: Ask): string {
  switch (ask.kind) {
    case "permission":
      return `Permission needed: ${shown(ask.request.title)}`;
    case "question":
      return `Question: ${shown(ask.question.text)}`;
    case "review":
      return `Edit to review: ${shown(ask.plan.label)}`;
  }
}

function endInWords(turn: Turn): string {
  if (turn.phase === "failed") {
    return ""; // the failure is an alert of its own
  }
  if (turn.phase === "cancelled") {
    return turn.message ? BECAME.continued.replace("{}", shown(turn.message)) : BECAME.stopped;
  }
  const text = turn.parts.findLast((part) => part.kind === "text")?.text ?? "";
  const words = rewritten(text, () => "").replace(/[*_`#>|]/g, "");
  return [`Answer: ${words}`, ...doubtsInWords(turn)].join(" ");
}

/** What was found against its sentences; which ones the marks say. */
function doubtsInWords(turn: Turn): string[] {
  const verdicts = [...sourcesOf(turn).values()].flatMap(verdictsOf);
  const checked = verdicts.filter(({ citation }) => citation !== null);
  const failed = checked.filter((source) => !holds(stateOf(source, false))).length;
  const uncited = turn.uncited.length;
  return [
    ...(failed > 0 ? [`${plural(failed, "citation does", "citations do")} not hold.`] : []),
    ...(uncited > 0 ? [`${plural(uncited, "sentence cites", "sentences cite")} nothing.`] : []),
  ];
}
