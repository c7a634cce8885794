// Pickers and fields of VS Code's that can be taken back. Keys pressed in a picker may be meant for
// something else: typing filters nothing, and for a moment after it nothing is taken.

import {
  CancellationTokenSource,
  type InputBoxOptions,
  type QuickInputButton,
  type QuickPick,
  type QuickPickItem,
  window,
} from "vscode";

/**
 * What is shown; without `several` one item is taken. The first item is the safe one. With `words`
 * the user came to type: what was typed is a part of the answer, and nothing is held back.
 */
export interface Picker<Item extends QuickPickItem> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly Item[];
  readonly several?: boolean;
  readonly words?: boolean;
  readonly buttons?: ReadonlyArray<QuickInputButton & { readonly press: () => void }>;
}

/** What was picked, and what was typed. */
export interface Picked<Item> {
  readonly items: readonly Item[];
  readonly words: string;
}

/** After a picker opened, and after each typed character, nothing is taken for as long. */
const GUARD_MILLISECONDS = 700;

/** Show it, and wait: undefined if it was closed or taken back. It outlives a lost focus. */
export async function pick<Item extends QuickPickItem>(
  picker: Picker<Item>,
  signal?: AbortSignal,
): Promise<Picked<Item> | undefined> {
  const shown = window.createQuickPick<Item>();
  const { title, placeholder, several = false, buttons = [] } = picker;
  const items = picker.items.map((item) => ({ ...item, alwaysShow: true }));
  Object.assign(shown, { title, placeholder, items, buttons, canSelectMany: several });
  shown.ignoreFocusOut = true;
  const guard = picker.words ? () => true : guarded(shown);
  shown.onDidTriggerButton((button) =>
    buttons.find((each) => each.tooltip === button.tooltip)?.press(),
  );
  const hide = () => shown.hide();
  signal?.addEventListener("abort", hide);
  try {
    return await new Promise((resolve) => {
      shown.onDidAccept(() => {
        if (guard()) {
          const picked = several ? shown.selectedItems : shown.activeItems;
          resolve({ items: picked, words: shown.value.trim() });
        }
      });
      shown.onDidHide(() => resolve(undefined));
      shown.show();
    });
  } finally {
    signal?.removeEventListener("abort", hide);
    shown.dispose();
  }
}

/** What is typed goes, and the first item is active again; says whether anything may be taken now. */
function guarded<Item extends QuickPickItem>(shown: QuickPick<Item>): () => boolean {
  const { items } = shown;
  let readyAt = Date.now() + GUARD_MILLISECONDS;
  shown.onDidChangeValue((value) => {
    readyAt = Date.now() + GUARD_MILLISECONDS;
    if (value !== "") {
      shown.value = "";
      shown.items = items; // in their own order again: what matches would come first
      shown.activeItems = items.slice(0, 1);
    }
  });
  return () => Date.now() >= readyAt;
}

/** What was typed; undefined if the field was closed or taken back. It outlives a lost focus. */
export async function askForWords(
  options: InputBoxOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const taken = new CancellationTokenSource();
  const take = () => taken.cancel();
  signal.addEventListener("abort", take);
  try {
    return await window.showInputBox({ ...options, ignoreFocusOut: true }, taken.token);
  } finally {
    signal.removeEventListener("abort", take);
    taken.dispose();
  }
}
