// Small controls: buttons of an icon, folds, and components that are drawn only for new properties.

import {
  Component,
  type ComponentChildren,
  type ComponentType,
  type FunctionComponent,
  h,
} from "preact";
import { folds } from "../store.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly act: () => void;
  readonly disabled?: boolean;
  /** It does nothing now, but keeps the focus that it may have. */
  readonly idle?: boolean;
  readonly pressed?: boolean;
  readonly tone?: string;
}

/** A button with an icon; the label is its tooltip as well. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, act, disabled, idle, pressed, tone } = props;
  return (
    <button
      type="button"
      class={`icon-button ${tone ?? ""}`}
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      disabled={disabled}
      aria-disabled={idle || undefined}
      onClick={idle ? undefined : act}
    >
      <Icon name={icon} />
    </button>
  );
}

interface FoldProps {
  /** The same for the same fold, as long as the panel lives. */
  readonly id: string;
  readonly head: ComponentChildren;
  readonly children: () => ComponentChildren;
  readonly open?: boolean;
  readonly name?: string;
  readonly aside?: ComponentChildren;
}

/** A line that unfolds; its content is made only while it is open. */
export function Fold({ id, head, children, open = false, name = "", aside }: FoldProps) {
  const isOpen = folds.value.get(id) ?? open;
  return (
    <div class={`fold ${name}`} data-fold={id}>
      <div class="fold-line">
        <button
          type="button"
          class="fold-head"
          aria-expanded={isOpen}
          onClick={() => {
            folds.value = new Map(folds.value).set(id, !isOpen);
          }}
        >
          <Icon name={isOpen ? "chevron-down" : "chevron-right"} tone="twistie" />
          {head}
        </button>
        {aside}
      </div>
      {isOpen && <div class="fold-body">{children()}</div>}
    </div>
  );
}

/** A component that is drawn again only for properties that are not the same. */
export function memo<P extends object>(draw: FunctionComponent<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<P>;
      return (Object.keys(next) as (keyof P)[]).some((key) => next[key] !== now[key]);
    }
    override render() {
      return h(draw, this.props as P);
    }
  };
}
