// The server counts characters as code points, JavaScript as UTF-16: a pair of surrogates is one there.

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The server's offset in a text for ours. */
export function pointsIn(text: string): (offset: number) => number {
  const pairs = pairsIn(text);
  return (offset) => offset - pairs.filter((at) => at < offset).length;
}

/** Our offset in a text for the server's. */
export function offsetsIn(text: string): (points: number) => number {
  const pairs = pairsIn(text);
  return (points) => points + pairs.filter((at, number) => at - number < points).length;
}

/** How long the server takes a text to be. */
export function lengthOf(text: string): number {
  return text.length - pairsIn(text).length;
}

function pairsIn(text: string): readonly number[] {
  return [...text.matchAll(PAIR)].map(({ index }) => index);
}
