// What a screen reader is told without being asked: answers when they are whole, and what is waited for.

import { useEffect, useState } from "preact/hooks";
import { shown } from "../src/shown.ts";
import { rewritten } from "./state/cites.ts";
import { type Ask, isLive, type Turn } from "./state/model.ts";
import { asks, turns } from "./store.ts";

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
  useEffect(() => {
    if (ask) {
      setWords(askInWords(ask));
    }
  }, [ask?.id]);
  return (
    <div class="unseen" aria-live="polite" aria-atomic="true">
      {words}
    </div>
  );
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
    return "Stopped.";
  }
  const text = turn.parts.findLast((part) => part.kind === "text")?.text ?? "";
  return `Answer: ${rewritten(text, () => "").replace(/[*_`#>|]/g, "")}`;
}
