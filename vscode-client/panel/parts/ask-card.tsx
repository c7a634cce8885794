// The card of something asked. For a moment after it appears, or moves because another has gone,
// nothing on it can be pressed: a click or a key may have been meant for what was there before.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { asks, sought } from "../store.ts";

const GUARD_MILLISECONDS = 400;

interface Props {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The card; it takes the focus only when it is sought, and then as a whole. */
export function AskCard({ id, name, label, children }: Props) {
  const card = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  const all = asks.value.map((ask) => ask.id).join(" ");
  useLayoutEffect(() => {
    if (body.current?.contains(document.activeElement)) {
      return; // the user is at work in it
    }
    setReady(false);
    const timer = setTimeout(() => setReady(true), GUARD_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [all]);
  const isSought = sought.value === id;
  useLayoutEffect(() => {
    if (isSought && card.current) {
      sought.value = null;
      card.current.scrollIntoView({ block: "nearest" });
      card.current.focus();
    }
  }, [isSought]);
  return (
    <section class={`card ask ${name}`} aria-label={label} tabIndex={-1} ref={card}>
      <div class="ask-body" inert={!ready} ref={body}>
        {children}
      </div>
    </section>
  );
}
