// An icon; it is never read out, for the words beside it or its button's label say what it means.

import { ICONS, type IconName } from "./icons.ts";

/** A codicon, which may turn or have a colour of its own. */
export function Icon({ name, tone, spin }: { name: IconName; tone?: string; spin?: boolean }) {
  const classes = ["icon", tone ?? "", spin ? "spin" : ""].filter(Boolean).join(" ");
  return (
    <span class={classes} aria-hidden="true">
      {ICONS[name]}
    </span>
  );
}
