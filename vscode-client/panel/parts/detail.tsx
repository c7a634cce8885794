// What a permission is about: a command, or a diff in colours. All of it, in a box that scrolls.

import { plural } from "../../src/commands/markdown.ts";
import type { PermissionRequest } from "../../src/wire.ts";
import { tell } from "../host.ts";
import { type Row, rowsOf, squeezed } from "../state/detail.ts";
import { folds } from "../store.ts";
import { IconButton } from "../ui/controls.tsx";
import { Shown } from "../ui/shown.tsx";

const IN_SIGHT = 12; // lines that the box shows at once

/** The box; what is squeezed in it says so, and can be had whole. */
export function Detail({ id, request }: { id: string; request: PermissionRequest }) {
  const { detail, cut } = request;
  const key = `${id} detail`;
  const rows = rowsOf(detail, cut);
  const short = squeezed(rows);
  const isShort = short.some(({ mark }, at) => mark !== undefined && mark !== rows[at]?.mark);
  const all = folds.value.get(key) ?? false;
  const isDiff = /^(@@|--- |\+\+\+ )/m.test(detail) || /^[-+] ?\S/m.test(detail);
  return (
    <div class="detail-box">
      {(rows.length > 1 || isShort) && (
        <div class="detail-head">
          <span>
            {plural(rows.length, "line")}
            {rows.length > IN_SIGHT && ", scroll to see all"}
          </span>
          {isShort && (
            <button
              type="button"
              class="link"
              aria-expanded={all}
              onClick={() => {
                folds.value = new Map(folds.value).set(key, !all);
              }}
            >
              {all ? "Squeeze" : "Show all"}
            </button>
          )}
          <IconButton
            icon="open-preview"
            label="Open in an editor"
            act={() => tell({ type: "openAsked", id })}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <pre class="detail" role="group" aria-label="What would be done" tabIndex={0}>
        {(all ? rows : short).map((row, at) => (
          <Line key={at} row={row} tone={isDiff ? toneOf(row.before) : ""} />
        ))}
      </pre>
    </div>
  );
}

function Line({ row: { before, mark, after }, tone }: { row: Row; tone: string }) {
  return (
    <span class={tone}>
      <Shown text={before} kind="text" />
      {mark && <span class="cut">⋯ {mark} ⋯</span>}
      {after && <Shown text={after} kind="text" />}
      {"\n"}
    </span>
  );
}

function toneOf(line: string): string {
  if (line.startsWith("+")) {
    return "new";
  }
  return line.startsWith("-") ? "gone" : "";
}
