// The completions above the input.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Completion } from "../../src/panel/messages.ts";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icons.ts";
import { Shown } from "../ui/shown.tsx";
import { chosen, items } from "./completion.ts";

const ICONS: Readonly<Record<Completion["kind"], IconName>> = {
  file: "file",
  folder: "folder",
  symbol: "symbol-method",
  diagnostics: "warning",
  terminal: "terminal",
  git: "git-compare",
  resource: "mcp",
  command: "terminal",
  custom: "terminal",
  skill: "mortar-board",
  prompt: "mcp",
};

/** What an item is, where neither its icon nor its label says so. */
const WORDS: Partial<Readonly<Record<Completion["kind"], string>>> = {
  resource: "MCP resource",
  custom: "custom command",
  skill: "skill",
  prompt: "MCP prompt",
};

/** The id of an item's element, for the input to name. */
export function itemId(at: number): string {
  return `completion-${at}`;
}

/** The list; `take` is called with the one that is clicked. */
export function CompletionList({ take }: { take: (item: Completion) => void }) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen.value, items.value]);
  if (items.value.length === 0) {
    return null;
  }
  return (
    <div class="completions" id="completions" role="listbox" aria-label="Suggestions" ref={list}>
      {items.value.map((item, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
        <div
          key={`${item.kind} ${item.insert}`}
          id={itemId(at)}
          class="completion"
          role="option"
          aria-selected={at === chosen.value}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(item)}
        >
          <Icon name={ICONS[item.kind]} />
          <span class="completion-label">
            <Shown text={item.label} />
          </span>
          <span class="completion-detail">
            <Shown text={item.detail} />
          </span>
          {WORDS[item.kind] && <span class="completion-word">{WORDS[item.kind]}</span>}
        </div>
      ))}
    </div>
  );
}
