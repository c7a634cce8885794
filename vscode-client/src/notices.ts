// Notifications: always plain text, since a model or a file may have written it.

import { type MessageOptions, window } from "vscode";
import { literal, shownText } from "./shown.ts";

/** The words on a button of VS Code's, whose words begin with capitals. */
export function titled(words: string): string {
  return words.replace(/(?<!\S)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Something to know. */
export async function inform(message: string, ...buttons: string[]): Promise<string | undefined> {
  return await window.showInformationMessage(literal(message), ...buttons);
}

/** Something to look at, or to decide. */
export async function warn(message: string, ...buttons: string[]): Promise<string | undefined> {
  return await window.showWarningMessage(literal(message), ...buttons);
}

/** Something to decide before anything else. */
export async function confirm(
  message: string,
  detail: string,
  ...buttons: string[]
): Promise<string | undefined> {
  const options: MessageOptions = { modal: true, detail: shownText(detail) };
  return await window.showWarningMessage(literal(message), options, ...buttons);
}

/** Something that went wrong. */
export async function fail(message: string, ...buttons: string[]): Promise<string | undefined> {
  return await window.showErrorMessage(literal(message), ...buttons);
}
