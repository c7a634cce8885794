// Which turns are near the view: one observer for all of them.

type Told = (near: boolean, height: number) => void;

const MARGIN = "1200px 0px"; // what is scrolled to is drawn before it comes into view

/** Tells elements in a scrolling box when they come near its view and when they leave. */
export class Near {
  readonly #told = new Map<Element, Told>();
  readonly #observer: IntersectionObserver;

  constructor(root: Element) {
    const options = { root, rootMargin: MARGIN };
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        this.#told.get(target)?.(isIntersecting, boundingClientRect.height);
      }
    }, options);
  }

  /** Tell about an element until the function given back is called. */
  watch(element: Element, told: Told): () => void {
    this.#told.set(element, told);
    this.#observer.observe(element);
    return () => {
      this.#told.delete(element);
      this.#observer.unobserve(element);
    };
  }

  /** Watch nothing any more. */
  end(): void {
    this.#observer.disconnect();
    this.#told.clear();
  }
}
