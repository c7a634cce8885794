// All turns. Only those near the view are drawn; the others keep their height. The view stays at the
// end if it was there.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { End } from "./end.ts";
import { keep, recall } from "./host.ts";
import { Near } from "./near.ts";
import { Asks } from "./parts/asks.tsx";
import { PlanCard } from "./parts/plan-card.tsx";
import { TurnView } from "./parts/turn.tsx";
import { isLive, type Turn } from "./state/model.ts";
import { focusing, sent, turns } from "./store.ts";
import { memo } from "./ui/controls.tsx";
import { Icon } from "./ui/icon.tsx";

/** The transcript. */
export function Transcript() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const end = useRef<End | null>(null);
  const [near, setNear] = useState<Near | null>(null);
  const [below, setBelow] = useState(false);

  useLayoutEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (!(box && inner)) {
      return;
    }
    const [made, kept] = [new Near(box), new End(box, inner)];
    end.current = kept;
    setNear(made);
    return () => {
      made.end();
      kept.end();
    };
  }, []);

  useLayoutEffect(() => {
    const { scroll } = recall();
    if (near && scroller.current && scroll && restored(scroller.current, scroll)) {
      end.current?.leave();
    }
  }, [near]);

  useLayoutEffect(() => {
    if (sent.value > 0) {
      end.current?.go();
    }
  }, [sent.value]);

  const scrolled = () => {
    const box = scroller.current;
    if (box && end.current) {
      const held = end.current.scrolled();
      setBelow(!held);
      keep({ scroll: held ? null : placeIn(box) });
    }
  };

  return (
    <div class="transcript-frame">
      <section class="transcript" ref={scroller} onScroll={scrolled} aria-label="Conversation">
        <div class="transcript-content" ref={content}>
          {near && turns.value.map((turn) => <Slot key={turn.runId} turn={turn} near={near} />)}
          <Asks />
          <PlanCard />
        </div>
      </section>
      <button
        type="button"
        class={below ? "to-end" : "to-end idle"}
        title="To the end"
        aria-label="To the end of the conversation"
        onClick={() => {
          end.current?.go();
          focusing.value += 1;
        }}
      >
        <Icon name="arrow-down" />
      </button>
    </div>
  );
}

/** A turn, or as long as it is far away and over, the room that it takes. */
const Slot = memo(({ turn, near }: { turn: Turn; near: Near }) => {
  const place = useRef<HTMLElement>(null);
  const height = useRef(0);
  const [isNear, setIsNear] = useState(isLive(turn));
  useLayoutEffect(() => {
    const element = place.current;
    return element
      ? near.watch(element, (now, measured) => {
          height.current = measured;
          setIsNear(now);
        })
      : undefined;
  }, [near]);
  const drawn = isNear || isLive(turn);
  const room = drawn ? undefined : { height: `${height.current || guess(turn)}px` };
  return (
    <article class="turn" ref={place} data-run={turn.runId} style={room} aria-busy={isLive(turn)}>
      {drawn && <TurnView turn={turn} />}
    </article>
  );
});

/** About how high a turn is that was never drawn. */
function guess({ question, parts }: Turn): number {
  const heights = parts.map((part) => (part.kind === "text" ? 30 + part.text.length / 2.2 : 24));
  return 110 + question.length / 3 + heights.reduce((sum, height) => sum + height, 0);
}

function placeIn(box: HTMLElement): { runId: string; offset: number } | null {
  const top = box.getBoundingClientRect().top;
  const first = document.elementFromPoint(box.getBoundingClientRect().left + 20, top + 4);
  const turn = first?.closest<HTMLElement>(".turn");
  const runId = turn?.dataset["run"];
  return turn && runId ? { runId, offset: top - turn.getBoundingClientRect().top } : null;
}

function restored(box: HTMLElement, { runId, offset }: { runId: string; offset: number }): boolean {
  const turn = box.querySelector<HTMLElement>(`.turn[data-run="${CSS.escape(runId)}"]`);
  if (turn) {
    box.scrollTop += turn.getBoundingClientRect().top - box.getBoundingClientRect().top + offset;
  }
  return turn !== null;
}
