// Links of reports, as VS Code's preview of Markdown takes them: it follows no `file:` link, but paths
// from the first folder of the workspace.

import { posix } from "node:path";

const LINK = /\]\((?<uri>file:\/\/[^)\s]+)\)/g;

/** The Markdown with paths from `root`, a folder's path, in the place of `file:` links. */
export function fromFolder(markdown: string, root: string): string {
  return markdown.replace(LINK, (_, uri: string) => {
    const { pathname, hash } = new URL(uri);
    const path = posix.relative(root, decodeURIComponent(pathname));
    return `](/${encodeURI(path).replace(/[()#?]/g, escape)}${hash})`;
  });
}
