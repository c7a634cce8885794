// A picture, as large as the panel: it has its own keys, and Escape closes it.

import { button } from "../markdown/code.ts";

const STEP = 1.25;
const [LEAST, MOST] = [0.1, 8];

/** Show a picture that fills the panel; the focus goes back where it was when it is closed. */
export function enlarge(picture: HTMLImageElement): void {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.setAttribute("aria-label", picture.alt);
  const room = document.createElement("div");
  room.className = "enlarged-room";
  room.tabIndex = 0; // arrows scroll it
  room.role = "group";
  room.ariaLabel = `${picture.alt}. Plus and minus zoom, 0 fits, arrows move.`;
  const shown = picture.cloneNode() as HTMLImageElement;
  shown.className = "";
  room.append(shown);
  const [width, height] = [picture.naturalWidth || picture.width, picture.naturalHeight || 1];
  const fit = () => Math.min(room.clientWidth / width, room.clientHeight / height);
  let scale = 1;
  const zoom = (to: number) => {
    const old = scale;
    scale = Math.min(MOST, Math.max(LEAST, to));
    const [x, y] = [room.scrollLeft + room.clientWidth / 2, room.scrollTop + room.clientHeight / 2];
    shown.style.width = `${width * scale}px`;
    shown.style.height = `${height * scale}px`;
    // what is in the middle stays there
    room.scrollTo(
      (x * scale) / old - room.clientWidth / 2,
      (y * scale) / old - room.clientHeight / 2,
    );
  };
  const acts: Record<string, () => void> = {
    "-": () => zoom(scale / STEP),
    "+": () => zoom(scale * STEP),
    "=": () => zoom(scale * STEP),
    "0": () => zoom(fit()),
    close: () => dialog.close(),
  };
  const head = document.createElement("div");
  head.className = "enlarged-head";
  head.append(
    button("-", "zoom-out", "Smaller (-)"),
    button("+", "zoom-in", "Larger (+)"),
    button("0", "screen-normal", "Fit (0)"),
    button("close", "close", "Close (Escape)"),
  );
  head.addEventListener("click", ({ target }) => {
    const pressed = target instanceof Element ? target.closest("button") : null;
    acts[pressed?.dataset["act"] ?? ""]?.();
  });
  dialog.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(head, room);
  document.body.append(dialog);
  dialog.showModal();
  room.focus();
  zoom(Math.max(1, fit())); // what is smaller than in the answer is not enlarged
}
