// How long something has been under way, counted by the second.

import { useEffect, useState } from "preact/hooks";
import { duration } from "../state/figures.ts";

const SECOND = 1000;

/** Since a time (ISO 8601), in whole seconds; nothing in the first, or where the time is not known. */
export function Elapsed({ since, before = " · " }: { since: string; before?: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(ticking);
  }, []);
  const seconds = Math.floor((now - Date.parse(since)) / SECOND);
  return seconds >= 1 ? (
    <>
      {before}
      {duration(seconds * SECOND)}
    </>
  ) : null;
}
