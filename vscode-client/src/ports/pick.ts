// A picker that can be taken back.

import { type CancellationToken, type QuickInputButton, type QuickPickItem, window } from "vscode";

/** What is shown; without `several` one item is taken. The first item is the safe one. */
export interface Picker<Item extends QuickPickItem> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly Item[];
  readonly several?: boolean;
  readonly words?: boolean;
  readonly buttons?: ReadonlyArray<QuickInputButton & { readonly press: () => void }>;
}

/** What was picked, and what was typed; undefined if the picker was closed or taken back. */
export interface Picked<Item> {
  readonly items: readonly Item[];
  readonly words: string;
}

/** Show it, and wait. It stays while the user looks at something else. */
export async function pick<Item extends QuickPickItem>(
  picker: Picker<Item>,
  token?: CancellationToken,
): Promise<Picked<Item> | undefined> {
  const shown = window.createQuickPick<Item>();
  const { title, placeholder, items, several = false, buttons = [] } = picker;
  Object.assign(shown, { title, placeholder, items, buttons, canSelectMany: several });
  shown.ignoreFocusOut = true;
  const listening = [
    token?.onCancellationRequested(() => shown.hide()),
    shown.onDidTriggerButton((button) =>
      buttons.find((each) => each.tooltip === button.tooltip)?.press(),
    ),
  ];
  try {
    return await new Promise((resolve) => {
      shown.onDidAccept(() => {
        const words = picker.words ? shown.value.trim() : "";
        resolve({ items: several ? shown.selectedItems : shown.activeItems, words });
      });
      shown.onDidHide(() => resolve(undefined));
      shown.show();
    });
  } finally {
    shown.dispose();
    for (const each of listening) {
      each?.dispose();
    }
  }
}
