// Markdown on the page. Blocks that did not change stay the very nodes they were.

import { useLayoutEffect, useRef } from "preact/hooks";
import { enlarge } from "../diagrams/enlarged.ts";
import { illustrate, pictureAt, toggleSource } from "../diagrams/figures.ts";
import { tell } from "../host.ts";
import { withoutUnfinished } from "../state/cites.ts";
import type { Uncited } from "../state/model.ts";
import { type Piece, type Source, sourceAt, spotsIn, uncitedIn } from "../state/sources.ts";
import { memo } from "../ui/controls.tsx";
import { type Blocks, NO_BLOCKS, normalised, toBlocks } from "./blocks.ts";
import { open, paint } from "./citation.ts";
import { codeOf, dress } from "./code.ts";
import { sanitised } from "./sanitise.ts";
import { type Range, underline } from "./uncited.ts";
import { reveal } from "./unseen.ts";

interface Props {
  readonly text: string;
  /** More of it may come. */
  readonly live: boolean;
  readonly sources: ReadonlyMap<string, Source>;
  /** Citations show their places: they are what the text is about, as in an extract. */
  readonly named?: boolean;
  /** Where the text stands in its reply, if it is not the whole of it. */
  readonly piece?: Piece | undefined;
  readonly uncited?: readonly Uncited[];
  /** A task is cited; whether its result is shown elsewhere. */
  readonly showTask?: ((task: string) => boolean) | undefined;
}

const NONE: readonly Uncited[] = [];

interface Drawn {
  readonly blocks: Blocks;
  readonly nodes: readonly HTMLElement[];
}

/** A text; links, citations and the buttons of code work. */
export const Markdown = memo((props: Props) => {
  const { text, live, sources, named = false, piece, uncited = NONE, showTask } = props;
  const root = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>({ blocks: NO_BLOCKS, nodes: [] });
  useLayoutEffect(() => {
    if (root.current) {
      drawn.current = draw(root.current, drawn.current, live ? withoutUnfinished(text) : text);
      const here = piece ?? { text, reply: 0, from: 0 };
      underlined(drawn.current, uncitedIn(here, uncited), text);
      paint(root.current, { sources, spots: spotsIn(here), live, named });
      illustrated(drawn.current.nodes, live);
    }
  }, [text, live, sources, named, piece, uncited]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked inside are buttons and links
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears what its buttons are told
    <div class="markdown" ref={root} onClick={(event) => clicked(event, sources, showTask)} />
  );
});

function draw(root: HTMLElement, before: Drawn, text: string): Drawn {
  const blocks = toBlocks(text, before.blocks);
  const old = before.blocks.blocks;
  const nodes = blocks.blocks.map((block, at) => {
    const there = before.nodes[at];
    if (there && old[at]?.source === block.source && old[at].html === block.html) {
      return there;
    }
    const node = document.createElement("div");
    node.className = "block";
    node.append(sanitised(block.html));
    reveal(node);
    dress(node);
    if (there) {
      there.replaceWith(node);
    } else {
      root.append(node);
    }
    return node;
  });
  for (const gone of before.nodes.slice(nodes.length)) {
    gone.remove();
  }
  return { blocks, nodes };
}

/** Each block has those sentences, or parts of them, that stand in it. */
function underlined({ blocks, nodes }: Drawn, ranges: readonly Range[], text: string): void {
  const place = (offset: number) => normalised(text.slice(0, offset)).length;
  const places = text.includes("\r")
    ? ranges.map(({ start, end }) => ({ start: place(start), end: place(end) }))
    : ranges;
  let begin = 0;
  blocks.blocks.forEach(({ source }, at) => {
    const [node, from, to] = [nodes[at], begin, begin + source.length];
    begin = to;
    const own = places
      .filter(({ start, end }) => start < to && end > from)
      .map(({ start, end }) => ({
        start: Math.max(start, from) - from,
        end: Math.min(end, to) - from,
      }));
    if (node) {
      underline(node, source, own);
    }
  });
}

/** Diagrams are drawn once they are whole: what still grows is never more than the last block. */
function illustrated(nodes: readonly HTMLElement[], live: boolean): void {
  for (const node of live ? nodes.slice(0, -1) : nodes) {
    illustrate(node);
  }
}

function clicked(
  event: MouseEvent,
  sources: ReadonlyMap<string, Source>,
  showTask: Props["showTask"],
): void {
  const target = event.target instanceof Element ? event.target.closest("button") : null;
  if (!(target instanceof HTMLElement)) {
    return;
  }
  const { cite, place, path, line, act } = target.dataset;
  const source = cite === undefined ? undefined : sources.get(cite);
  if (source) {
    const { kind, target: task } = source.mark;
    if (!(kind === "task" && showTask?.(task))) {
      open(sourceAt(source, place));
    }
  } else if (path !== undefined) {
    tell({ type: "openPath", path, line: Number(line) || 1 });
  } else if (act === "copy" || act === "insert") {
    tell({ type: act, text: codeOf(target) });
  } else if (act === "source") {
    toggleSource(target);
  } else if (act === "enlarge") {
    const picture = pictureAt(target);
    if (picture) {
      enlarge(picture);
    }
  }
}
