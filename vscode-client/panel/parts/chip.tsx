// What a question is about, as a small label.

import type { Chip } from "../../src/panel/messages.ts";
import { shown } from "../../src/shown.ts";
import { tell } from "../host.ts";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";

interface Props {
  readonly chip: Chip;
  readonly icon?: IconName;
  readonly remove?: () => void;
}

const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

/** The chip opens what it names, and can be taken away where `remove` says how. */
export function ChipView({ chip, icon, remove }: Props) {
  const label = shown(chip.label);
  const { uri, firstLine, lastLine } = chip.attachment;
  const from = firstLine ?? 1;
  const sign = icon ?? (PICTURE.test(uri) ? "file-media" : uri.endsWith("/") ? "folder" : "file");
  return (
    <span class="chip">
      <button
        type="button"
        class="chip-label"
        title={`Open ${label}`}
        onClick={() => tell({ type: "open", uri, firstLine: from, lastLine: lastLine ?? from })}
      >
        <Icon name={sign} />
        <span>
          <Shown text={chip.label} />
        </span>
      </button>
      {remove && (
        <button
          type="button"
          class="chip-remove"
          aria-label={`Remove ${label}`}
          title="Remove"
          onClick={remove}
        >
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}
