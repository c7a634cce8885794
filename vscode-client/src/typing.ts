// How the panel and the palette search while one types.

/** Of not typing, before words are looked for. */
export const TYPING_MILLISECONDS = 100;
