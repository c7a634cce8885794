// Figures as people read them.

import type { Usage } from "../../src/wire.ts";

/** `850`, `12.3k`, `1.2M`. */
export function count(tokens: number): string {
  if (tokens < 1000) {
    return String(tokens);
  }
  const [figure, unit] = tokens < 999_950 ? [tokens / 1000, "k"] : [tokens / 1_000_000, "M"];
  return `${figure < 99.95 ? figure.toFixed(1).replace(/\.0$/, "") : Math.round(figure)}${unit}`;
}

/** `3 ms`, `1.4 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) {
    return `${Math.max(1, Math.round(milliseconds))} ms`;
  }
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) {
    return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  }
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `$0.012`, `$1.40`, `under $0.001`. */
export function price(dollars: number): string {
  if (dollars > 0 && dollars < 0.001) {
    return "under $0.001";
  }
  return `$${dollars.toFixed(dollars < 0.1 ? 3 : 2)}`;
}

/** All tokens that were sent, cached ones included. */
export function sent(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 d ago`, or the date. */
export function ago(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 1) {
    return "just now";
  }
  if (minutes < 60) {
    return `${minutes} min ago`;
  }
  if (minutes < 60 * 24) {
    return `${Math.floor(minutes / 60)} h ago`;
  }
  const days = Math.floor(minutes / 60 / 24);
  return days < 7 ? `${days} d ago` : iso.slice(0, 10);
}
