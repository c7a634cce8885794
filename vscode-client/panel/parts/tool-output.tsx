// What a tool call gave, as the model read it: data, shown as it is. Of a long one both ends; an editor
// has all of it.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { plural } from "../../src/commands/markdown.ts";
import { toolName } from "../../src/tools.ts";
import { tell } from "../host.ts";
import { endsOf, linesIn } from "../state/ends.ts";
import type { Output, ToolPart } from "../state/model.ts";
import { IconButton } from "../ui/controls.tsx";
import { Shown } from "../ui/shown.tsx";

/** The output, which is asked for if it is not here when the card is opened. */
export function ToolOutput({ part, live }: { part: ToolPart; live: boolean }) {
  const { callId, tool, output, finished } = part;
  const name = toolName(tool);
  const isOver = finished !== null || !live;
  const missing = isOver && (output === null || output.problem !== "");
  useEffect(() => {
    if (missing) {
      tell({ type: "toolOutput", callId });
    }
  }, [missing, callId]);
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (box.current && tool === "Bash") {
      box.current.scrollTop = box.current.scrollHeight; // how it went stands at the end
    }
  }, [output?.text, tool]);
  if (output === null) {
    return <p class="output-none">{isOver ? "Looking up its output…" : "No output yet."}</p>;
  }
  if (output.problem) {
    return (
      <p class="output-none">
        <Shown text={output.problem} kind="text" />
      </p>
    );
  }
  const { text } = output;
  const { before, missing: cut, after } = endsOf(text);
  return (
    <div class="detail-box output">
      <div class="detail-head">
        <span>{nameOf(output, isOver)}</span>
        <IconButton icon="copy" label="Copy the output" act={() => tell({ type: "copy", text })} />
        <IconButton
          icon="open-preview"
          label="Open the output in an editor"
          act={() => tell({ type: "openOutput", name: `Output of ${name}.txt`, text })}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <pre class="detail" role="group" aria-label={`Output of ${name}`} tabIndex={0} ref={box}>
        <Shown text={before} kind="text" />
        {cut && <span class="cut">⋯ {cut} ⋯</span>}
        {after && <Shown text={after} kind="text" />}
      </pre>
    </div>
  );
}

/** Of a call that was cut short there is what it had given by then. */
function nameOf({ text, live }: Output, isOver: boolean): string {
  if (live) {
    return isOver ? "Last output" : "Output so far";
  }
  return `Output, ${plural(linesIn(text), "line")}`;
}
