// What is being completed: the `@` or `/` word at the cursor.

/** A word with its sigil, and where it begins and ends in the text. */
export interface Token {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

const MENTION = /(?:^|\s)(@(?:"[^"\n]*|[^\s"]*))$/;
const COMMAND = /^\s*(\/[\w.:-]*)$/;

/** The token that ends at the cursor, if there is one; a `/` counts only at the very beginning. */
export function tokenAt(text: string, cursor: number): Token | null {
  const before = text.slice(0, cursor);
  const found = (COMMAND.exec(before) ?? MENTION.exec(before))?.[1];
  return found === undefined ? null : { text: found, begin: cursor - found.length, end: cursor };
}

/** The text with the token replaced, and where the cursor then is; a folder can be gone on with. */
export function replaced(
  text: string,
  token: Token,
  insert: string,
  goesOn: boolean,
): { readonly text: string; readonly cursor: number } {
  const sigil = token.text.charAt(0);
  const words = insert.startsWith(sigil) ? insert : sigil + insert;
  const after = text.slice(token.end);
  const space = goesOn || /^\s/.test(after) ? "" : " ";
  const cursor = token.begin + words.length + (goesOn ? 0 : 1);
  return { text: text.slice(0, token.begin) + words + space + after, cursor };
}
