// Keeps a scrolling box at its end while what is in it grows, until the reader goes up.

const NEAR = 24; // pixels from the end that still count as there

/** Of one box. While it is held at the end the browser must not hold it elsewhere. */
export class End {
  readonly #sizes: ResizeObserver;
  #held = true;
  #top = 0;

  constructor(
    private readonly box: HTMLElement,
    content: HTMLElement,
  ) {
    this.#sizes = new ResizeObserver(() => {
      if (this.#held) {
        this.go();
      }
    });
    this.#sizes.observe(box);
    this.#sizes.observe(content);
    this.#hold(true);
  }

  /** To the end, and stay there. */
  go(): void {
    this.#hold(true);
    this.box.scrollTop = this.box.scrollHeight;
    this.#top = this.box.scrollTop;
  }

  /** Stay wherever the reader goes. */
  leave(): void {
    this.#hold(false);
  }

  /** The box was scrolled; whether it is held at the end now. What grows does not move it up. */
  scrolled(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    if (scrollHeight - scrollTop - clientHeight < NEAR) {
      this.#hold(true);
    } else if (scrollTop < this.#top) {
      this.#hold(false);
    }
    this.#top = scrollTop;
    return this.#held;
  }

  /** Watch nothing any more. */
  end(): void {
    this.#sizes.disconnect();
  }

  #hold(held: boolean): void {
    this.#held = held;
    this.box.style.overflowAnchor = held ? "none" : "auto";
  }
}
