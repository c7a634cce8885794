// The card of something asked. For a moment after it appears, or moves because another has gone,
// nothing on it can be pressed: a click or a key may have been meant for what was there before.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asks, away, focusing, sought } from "../store.ts";

const DIGITS = 9;
const GUARD_MILLISECONDS = 400;
const IN_SIGHT = "-30px 0px"; // less of a card is not seen

/** What keys do while the card has the focus: `1`, `2` and so on, `y`, `n` and `enter`. */
export type Keys = Readonly<Record<string, () => void>>;

interface Props {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** What is said of it while it is out of sight; the label, if nothing else is. */
  readonly about?: string;
  readonly keys: Keys;
  readonly children: ComponentChildren;
}

/**
 * The card; it takes the focus only when it is sought, and then as a whole. Once it is answered, the
 * focus goes back to where it was.
 */
export function AskCard({ id, name, label, about = label, keys, children }: Props) {
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
  const before = useRef<Element | null>(null); // what had the focus before anything of the card
  useLayoutEffect(() => {
    const self = card.current;
    return () => {
      if (document.hasFocus() && self?.contains(document.activeElement)) {
        giveBack(before.current);
      }
    };
  }, []);
  const isSought = sought.value === id;
  useLayoutEffect(() => {
    if (isSought && card.current) {
      sought.value = null;
      scrollToBegin(card.current);
      card.current.focus({ preventScroll: true });
    }
  }, [isSought]);
  useEffect(() => (card.current ? watchSight(card.current, id, about) : undefined), [id, about]);
  return (
    <article
      class={`card ask ${name}`}
      aria-label={label}
      tabIndex={-1}
      ref={card}
      onFocusIn={({ relatedTarget }) => {
        if (relatedTarget instanceof Element && !card.current?.contains(relatedTarget)) {
          // its strip goes, in the next frame
          before.current = relatedTarget.matches(".strip.waiting") ? null : relatedTarget;
        }
      }}
      onKeyDown={(event) => {
        const act = ready && !isMeantOtherwise(event) ? keys[event.key.toLowerCase()] : undefined;
        if (act) {
          event.preventDefault();
          event.stopPropagation();
          act();
        }
      }}
    >
      <div class="ask-body" inert={!ready} ref={body}>
        {children}
      </div>
    </article>
  );
}

/** As long as it is watched, `away` says whether it has scrolled out of sight. */
function watchSight(card: HTMLElement, id: string, about: string): () => void {
  const put = (isAway: boolean) => {
    const all = new Map(away.value);
    if (isAway) {
      all.set(id, about);
    } else {
      all.delete(id);
    }
    away.value = all;
  };
  const root = card.closest(".transcript");
  const observer = new IntersectionObserver(
    (entries) => put(entries.at(-1)?.isIntersecting === false),
    { root, rootMargin: IN_SIGHT },
  );
  observer.observe(card);
  return () => {
    observer.disconnect();
    put(false);
  };
}

/** The first nine of these, by their digits. */
export function byDigits(acts: readonly (() => void)[]): Keys {
  return Object.fromEntries(acts.slice(0, DIGITS).map((act, at) => [String(at + 1), act]));
}

/** The key of one of them, for screen readers; from the tenth on there is none. */
export function keyOf(at: number): string | undefined {
  return at < DIGITS ? String(at + 1) : undefined;
}

/** The digit that chooses this. */
export function Key({ name }: { name: number }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  );
}

const FIELD = "textarea, input:not([type=checkbox], [type=radio])";
const PRESSED_BY_ENTER = "button, a, vscode-button";

/** A key that is typed into a field, that presses a button, or that VS Code means otherwise. */
function isMeantOtherwise(event: KeyboardEvent): boolean {
  const { target, key, ctrlKey, metaKey, altKey, repeat } = event;
  const others = key === "Enter" ? `${FIELD}, ${PRESSED_BY_ENTER}` : FIELD;
  const isOf = target instanceof Element && target.closest(others) !== null;
  return isOf || ctrlKey || metaKey || altKey || repeat;
}

function giveBack(to: Element | null): void {
  if (to instanceof HTMLElement && to.isConnected) {
    to.focus({ preventScroll: true });
  } else {
    focusing.value += 1;
  }
}

/** What is asked is read before the answers; nothing around the conversation moves. */
function scrollToBegin(card: HTMLElement): void {
  const box = card.closest(".transcript");
  if (box) {
    box.scrollTop += card.getBoundingClientRect().top - box.getBoundingClientRect().top;
  }
}
