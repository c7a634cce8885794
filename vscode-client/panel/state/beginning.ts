// The beginning of a long text: whole paragraphs if they are short, else whole words.

const CHARACTERS = 280;
const LINES = 8;

/** The text itself if it is short. */
export function beginningOf(text: string): string {
  if (isShort(text)) {
    return text;
  }
  const paragraphs = text.split(/\n{2,}/);
  const count = paragraphs.findIndex((_, at) => !isShort(paragraphs.slice(0, at + 1).join("\n\n")));
  if (count > 0) {
    return paragraphs.slice(0, count).join("\n\n");
  }
  const lines = text.split("\n").slice(0, LINES).join("\n");
  const words = lines.slice(0, CHARACTERS).replace(/\s+\S*$/, "");
  return `${lines.length > CHARACTERS ? words : lines}…`;
}

function isShort(text: string): boolean {
  return text.length <= CHARACTERS && text.split("\n").length <= LINES;
}
