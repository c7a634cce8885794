// All turns. Only those near the view are drawn; the others keep their height. The view stays at the
// end if it was there.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keep, recall } from "./host.ts";
import { Near } from "./near.ts";
import { Asks } from "./parts/asks.tsx";
import { TurnView } from "./parts/turn.tsx";
import { isLive, type Turn } from "./state/model.ts";
import { turns } from "./store.ts";
import { memo } from "./ui/controls.tsx";
import { Icon } from "./ui/icon.tsx";

const END = 24; // pixels from the end that still count as there

/** The transcript. */
export function Transcript() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const [near, setNear] = useState<Near | null>(null);
  const [below, setBelow] = useState(false);

  useLayoutEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (!(box && inner)) {
      return;
    }
    const made = new Near(box);
    setNear(made);
    const toEnd = () => {
      if (stuck.current) {
        box.scrollTop = box.scrollHeight;
      }
    };
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(inner);
    sizes.observe(box);
    return () => {
      made.end();
      sizes.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    const { scroll } = recall();
    if (near && scroller.current && scroll) {
      stuck.current = !restored(scroller.current, scroll);
    }
  }, [near]);

  const scrolled = () => {
    const box = scroller.current;
    if (box) {
      stuck.current = box.scrollHeight - box.scrollTop - box.clientHeight < END;
      setBelow(!stuck.current);
      keep({ scroll: stuck.current ? null : placeIn(box) });
    }
  };

  return (
    <div class="transcript-frame">
      <section class="transcript" ref={scroller} onScroll={scrolled} aria-label="Conversation">
        <div class="transcript-content" ref={content}>
          {near && turns.value.map((turn) => <Slot key={turn.runId} turn={turn} near={near} />)}
          <Asks />
        </div>
      </section>
      {below && (
        <button
          type="button"
          class="to-end"
          title="To the end"
          aria-label="To the end of the conversation"
          onClick={() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight })}
        >
          <Icon name="arrow-down" />
        </button>
      )}
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
