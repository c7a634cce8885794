// A button with the choice that holds, which opens the list of choices above itself.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** One of the choices. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
}

/** Choices of which one holds. */
interface Group {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly choose: (id: string) => void;
  /** What labels begin with that tells none from another: it goes first where there is little room. */
  readonly same?: string;
}

interface Props extends Group {
  /** Another choice in the same list; the button shows it unless it is the first one's. */
  readonly more?: Group;
}

/** The button and, while it is open, its list; arrows move, Enter chooses, Escape closes. */
export function Menu({ more, ...group }: Props) {
  const { label, choices, chosen } = group;
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const name = [nameOf(group), more && more.chosen !== more.choices[0]?.id && nameOf(more)]
    .filter(Boolean)
    .join(" · ");
  useLayoutEffect(() => {
    if (open) {
      const items = root.current?.querySelectorAll<HTMLElement>("[role=menuitemradio]") ?? [];
      (items[choices.findIndex(({ id }) => id === chosen)] ?? items[0])?.focus();
    }
  }, [open]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys of its buttons
    <div
      class="menu"
      ref={root}
      onFocusOut={(event) => {
        if (!root.current?.contains(event.relatedTarget as Node | null)) {
          setOpen(false);
        }
      }}
      onKeyDown={(event) => {
        if (open && event.key === "Escape") {
          event.stopPropagation();
          close();
        } else if (open && root.current) {
          move(root.current, event);
        }
      }}
    >
      <button
        type="button"
        class="menu-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={`${label}: ${name}`}
        title={label}
        onClick={() => setOpen(!open)}
      >
        <span>
          {group.same && name.startsWith(group.same) && <span class="same">{group.same}</span>}
          {group.same && name.startsWith(group.same) ? name.slice(group.same.length) : name}
        </span>
        <Icon name="chevron-down" />
      </button>
      {open && (
        <div class="menu-list" role="menu" aria-label={label}>
          <Items group={group} close={close} />
          {more && (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
            <div class="menu-more" role="group" aria-label={more.label}>
              <Items group={more} close={close} />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function nameOf({ choices, chosen }: Group): string {
  return choices.find(({ id }) => id === chosen)?.label ?? chosen;
}

function Items({ group, close }: { readonly group: Group; readonly close: () => void }) {
  const { choices, chosen, choose } = group;
  return choices.map(({ id, label, detail }) => (
    <button
      key={id}
      type="button"
      role="menuitemradio"
      aria-checked={id === chosen}
      tabIndex={-1}
      onClick={() => {
        close();
        if (id !== chosen) {
          choose(id);
        }
      }}
    >
      <Icon name={id === chosen ? "check" : "circle-large"} tone={id === chosen ? "" : "hidden"} />
      <span>
        {label}
        {detail && <span class="option-detail">{detail}</span>}
      </span>
    </button>
  ));
}

function move(root: HTMLElement, event: KeyboardEvent): void {
  const items = [...root.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
  const at = items.findIndex((item) => item.matches(":focus"));
  const places: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const to = places[event.key];
  if (to !== undefined) {
    event.preventDefault();
    items[to]?.focus();
  }
}
