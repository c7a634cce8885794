// Mermaid, loaded when the first diagram is met. What it draws becomes a picture: nothing in a
// picture runs, loads anything or can be clicked, whatever the diagram says.

import type { MermaidConfig } from "mermaid";
import type { Theme } from "./theme.ts";

/** A diagram as a picture, with its size in pixels, or why there is none. */
export type Drawing =
  | {
      readonly url: string;
      readonly width: number;
      readonly height: number;
      readonly words: string;
    }
  | { readonly problem: string };

const MOST_CHARACTERS = 50_000;
const MOST_KEPT = 64;
// What a diagram may not set for itself: how it looks is the theme's, what it may do is ours.
const OURS = (
  "secure securityLevel startOnLoad maxTextSize suppressErrorRendering maxEdges dompurifyConfig " +
  "theme themeVariables themeCSS darkMode look layout fontFamily altFontFamily fontSize htmlLabels"
).split(" ");

const kept = new Map<string, Promise<Drawing>>();
let last: Promise<unknown> = Promise.resolve();
let number = 0;

/** The picture of a diagram; the same one for the same source and theme. */
export function drawn(source: string, theme: Theme): Promise<Drawing> {
  const key = JSON.stringify([source, theme]);
  const there = kept.get(key);
  if (there !== undefined) {
    return there;
  }
  // One after the other: the settings are Mermaid's, not a drawing's.
  const drawing = last.then(() => draw(source, theme)).catch(problemOf);
  last = drawing;
  kept.set(key, drawing);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) {
      break;
    }
    kept.delete(oldest);
  }
  return drawing;
}

async function draw(source: string, theme: Theme): Promise<Drawing> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize(settings(theme));
  const room = document.createElement("div");
  room.className = "drawing-room";
  room.ariaHidden = "true";
  document.body.append(room);
  number += 1;
  try {
    const { svg, diagramType } = await mermaid.render(`diagram-${number}`, source, room);
    return picture(svg, diagramType);
  } finally {
    room.remove();
  }
}

function settings(theme: Theme): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: "strict",
    secure: OURS,
    suppressErrorRendering: true,
    maxTextSize: MOST_CHARACTERS,
    logLevel: "fatal",
    theme: "base",
    themeVariables: theme,
    darkMode: theme["darkMode"] === true,
    fontFamily: String(theme["fontFamily"]),
    fontSize: Number.parseFloat(String(theme["fontSize"])),
    look: "classic",
    layout: "dagre",
    swimlane: { layout: "swimlane" },
    htmlLabels: false,
    state: { minNodeWidth: 0 }, // a wider one has its label at its left
  };
}

/** A picture by itself, as large as what it shows. */
function picture(markup: string, type: string): Drawing {
  const page = new DOMParser().parseFromString(markup, "text/html");
  const svg = page.querySelector("svg");
  if (!svg) {
    return { problem: "Nothing was drawn." };
  }
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("width", `${width}`);
  svg.setAttribute("height", `${height}`);
  const text = (selector: string) => svg.querySelector(`:scope > ${selector}`)?.textContent ?? "";
  const title = text("title") || `A diagram (${type.replace(/-.*/, "")})`;
  const words = [title, text("desc")].filter(Boolean).join(". ");
  const data = encodeURIComponent(new XMLSerializer().serializeToString(svg));
  return { url: `data:image/svg+xml,${data}`, width, height, words };
}

function problemOf(error: unknown): Drawing {
  return { problem: error instanceof Error ? error.message : String(error) };
}
