// Diagrams on the page: the picture takes the place of its source, which can still be seen and copied.

import { button } from "../markdown/code.ts";
import { type Drawing, drawn } from "./draw.ts";
import { type Theme, themeNow } from "./theme.ts";

const DIAGRAM = '.code[data-language="mermaid"]';

let theme: Theme | null = null;

/** Draw the diagrams in an element that are not drawn yet. */
export function illustrate(element: HTMLElement): void {
  for (const code of element.querySelectorAll<HTMLElement>(`${DIAGRAM}:not([data-diagram])`)) {
    void show(code);
  }
}

/** Show the source of a diagram instead of its picture, or the picture again. */
export function toggleSource(button: HTMLElement): void {
  const on = button.ariaPressed !== "true";
  button.ariaPressed = String(on);
  button.closest(".code")?.classList.toggle("as-source", on);
}

/** The picture that an element is, or stands above. */
export function pictureAt(place: Element): HTMLImageElement | null {
  return place.closest(".code")?.querySelector<HTMLImageElement>("img.diagram") ?? null;
}

async function show(code: HTMLElement): Promise<void> {
  theme ??= watched();
  const wanted = theme;
  code.dataset["diagram"] = "drawing";
  const drawing = await drawn(code.querySelector("code")?.textContent ?? "", wanted);
  const shown = "problem" in drawing ? problem(drawing.problem) : await image(drawing);
  if (wanted !== theme) {
    return; // it is being drawn in the new colours
  }
  code.querySelector(".diagram, .diagram-problem")?.remove();
  code.querySelector("pre")?.before(shown);
  code.dataset["diagram"] = "drawn";
  const is = shown.matches(".diagram");
  code.classList.toggle("drawn", is);
  if (is && !code.querySelector('[data-act="source"]')) {
    code
      .querySelector(".code-head > span")
      ?.after(
        button("enlarge", "screen-full", "Enlarge"),
        pressed("source", "code", "Show the source"),
      );
  }
}

async function image(drawing: Exclude<Drawing, { problem: string }>): Promise<HTMLElement> {
  const made = new Image(Math.ceil(drawing.width), Math.ceil(drawing.height));
  made.className = "diagram";
  made.alt = drawing.words;
  made.title = drawing.words;
  made.src = drawing.url;
  try {
    await made.decode();
    return made;
  } catch {
    return problem("The picture that came of it cannot be shown.");
  }
}

function problem(words: string): HTMLElement {
  const made = document.createElement("div");
  made.className = "diagram-problem";
  made.role = "note";
  const why = document.createElement("div");
  why.textContent = words.trim();
  made.append("This diagram cannot be drawn, so its source is shown.", why);
  return made;
}

function pressed(...given: Parameters<typeof button>): HTMLButtonElement {
  const made = button(...given);
  made.ariaPressed = "false";
  return made;
}

/** The theme, from now on followed: VS Code changes it in the page that is there. */
function watched(): Theme {
  const observer = new MutationObserver(() => {
    const now = themeNow();
    if (JSON.stringify(now) !== JSON.stringify(theme)) {
      theme = now;
      for (const code of document.querySelectorAll<HTMLElement>(`${DIAGRAM}[data-diagram]`)) {
        void show(code);
      }
    }
  });
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true });
  }
  return themeNow();
}
