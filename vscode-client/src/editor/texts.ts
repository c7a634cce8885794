// Texts of ours as documents that can be read and not written: reports, details, sides of a diff.

import { commands, type Disposable, EventEmitter, languages, Uri, window, workspace } from "vscode";

import { shown, shownText } from "../shown.ts";
import { besideChat } from "./columns.ts";

const SCHEME = "glossator-text"; // `glossator:` is the server's
const GROWING_MILLISECONDS = 1000; // between two looks at a text that grows
const MOST = 2_100; // texts that are kept, with both sides of 1,000 files; the oldest goes first
const BEFORE = "before"; // the query of a left side

let number = 0;
const texts = new Map<string, string>();
const changed = new EventEmitter<Uri>();

/** Let VS Code read our texts. */
export function serveTexts(): Disposable {
  return workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "This text is gone.",
  });
}

/** Keep a text under a new address, whose last part is `name`. */
export function keepText(name: string, text: string): Uri {
  number += 1;
  const uri = Uri.from({ scheme: SCHEME, path: `/${number}/${name}` });
  texts.set(uri.toString(), text);
  for (const old of [...texts.keys()].slice(0, Math.max(0, texts.size - MOST))) {
    texts.delete(old);
  }
  return uri;
}

/** Keep both sides of a diff, under one path: else it would look like a file that was moved. */
export function keepSides(name: string, before: string, after: string): [Uri, Uri] {
  const right = keepText(name, after);
  const left = right.with({ query: BEFORE });
  texts.set(left.toString(), before);
  return [left, right];
}

/** Show a text in an editor; what would hide in it is escaped. */
export async function showText(name: string, text: string, language: string): Promise<void> {
  const document = await workspace.openTextDocument(keepText(shown(name), shownText(text)));
  const readable = await languages.setTextDocumentLanguage(document, language);
  await window.showTextDocument(readable, {
    preview: true,
    preserveFocus: true,
    viewColumn: besideChat(),
  });
}

/** Show a text that grows, until it is over or its editor is closed; what would hide is escaped. */
export async function showGrowing(
  name: string,
  read: () => Promise<{ readonly text: string; readonly isOver: boolean }>,
): Promise<void> {
  const uri = Uri.from({ scheme: SCHEME, path: `/${name}` });
  let { text, isOver } = await read();
  texts.set(uri.toString(), shownText(text));
  changed.fire(uri);
  const document = await workspace.openTextDocument(uri);
  await window.showTextDocument(document, {
    preview: true,
    preserveFocus: true,
    viewColumn: besideChat(),
  });
  while (!(isOver || document.isClosed)) {
    await new Promise((resolve) => setTimeout(resolve, GROWING_MILLISECONDS));
    ({ text, isOver } = await read());
    texts.set(uri.toString(), shownText(text));
    changed.fire(uri);
  }
}

/** Show Markdown as it is meant to look. The same name takes the earlier one's place. */
export async function showMarkdown(name: string, markdown: string): Promise<void> {
  const uri = Uri.from({ scheme: SCHEME, path: `/${name}.md` });
  texts.set(uri.toString(), markdown);
  changed.fire(uri);
  await commands.executeCommand("markdown.showPreview", uri);
}
