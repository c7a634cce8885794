// Search: hits come while one types, the one that one moves to is shown, and Enter opens it.

import { type Tab, TabInputText, type TextEditor, Uri, window } from "vscode";
import { labelled } from "../shown.ts";
import type { SearchHit } from "../wire.ts";
import type { Workbench } from "./workbench.ts";

const SEARCH_MILLISECONDS = 150; // of not typing, before what was typed is looked for
const TITLE = "Glossator: search";
const TELLING = 2; // lines of a hit that are shown in the list

/** Look for what is typed, `query` at first. What was open is shown again if nothing is taken. */
export async function search(bench: Workbench, query: string): Promise<void> {
  const picker = window.createQuickPick<ReturnType<typeof itemOf>>();
  picker.title = TITLE;
  picker.placeholder = "A question, names, terms. Up and down show the lines.";
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  // By label, a name in a path would come before the best hit. It is not in the published types.
  Object.assign(picker, { sortByLabel: false });
  const preview = new Preview(bench);
  let timer: NodeJS.Timeout | undefined;
  let newest = 0;
  let movedIn: string | undefined; // what was typed when one moved away from the first hit
  const look = async (query: string) => {
    newest += 1;
    const number = newest;
    picker.busy = query !== "";
    try {
      const { hits, searched } = query
        ? await bench.server.run("glossator.search", { query })
        : { hits: [], searched: "" };
      if (number === newest) {
        const [active] = picker.value === movedIn ? picker.activeItems : [];
        picker.items = hits.map(itemOf);
        const again = picker.items.find(({ hit }) => active && isSame(hit, active.hit));
        picker.activeItems = again ? [again] : picker.items.slice(0, 1);
        picker.title = searched ? `${TITLE} — ${searched}` : TITLE;
      }
    } finally {
      picker.busy = picker.busy && number !== newest;
    }
  };
  let taken = false;
  await new Promise<void>((resolve, reject) => {
    picker.onDidChangeValue((value) => {
      clearTimeout(timer);
      timer = setTimeout(() => void look(value.trim()).catch(reject), SEARCH_MILLISECONDS);
    });
    picker.onDidChangeActive(([item]) => {
      // The first one is made active by itself, while one types.
      const moved = item !== picker.items[0];
      movedIn = moved ? picker.value : movedIn;
      if (item && (preview.shown || moved)) {
        preview.show(item.hit).catch(reject);
      }
    });
    picker.onDidAccept(() => {
      const [item] = picker.activeItems;
      if (item) {
        taken = true;
        const { uri, first, last } = tellingLines(item.hit);
        bench.spans.open(uri, first, last).then(resolve, reject);
        picker.hide();
      }
    });
    picker.onDidHide(() => {
      if (!taken) {
        preview.restore().then(resolve, reject);
      }
    });
    picker.show();
    picker.value = query;
    if (query.trim()) {
      look(query.trim()).catch(reject);
    }
  }).finally(() => {
    clearTimeout(timer);
    picker.dispose();
  });
}

/** Shows hits in the editor while the list keeps the focus. */
class Preview {
  readonly #parts: Workbench;
  readonly #editor: TextEditor | undefined = window.activeTextEditor;
  readonly #wasPreview = window.tabGroups.activeTabGroup.activeTab?.isPreview === true;
  readonly #wasOpen: ReadonlySet<string> = new Set(["", ...allTabs().map(uriOf)]);
  #last: Promise<void> | undefined;

  constructor(bench: Workbench) {
    this.#parts = bench;
  }

  /** Whether one was shown. */
  get shown(): boolean {
    return this.#last !== undefined;
  }

  /** One after the other, so that the last one stays. */
  async show(hit: SearchHit): Promise<void> {
    const { uri, first, last } = tellingLines(hit);
    const before = this.#last;
    this.#last = (async () => {
      await before;
      await this.#parts.spans.open(uri, first, last, true);
    })();
    await this.#last;
  }

  /** What was open before, and nothing else. */
  async restore(): Promise<void> {
    if (!this.shown) {
      return;
    }
    await this.#last;
    if (this.#editor) {
      const { document, selection, viewColumn } = this.#editor;
      const where = viewColumn === undefined ? {} : { viewColumn };
      const preview = this.#wasPreview;
      await window.showTextDocument(document, { selection, preview, ...where });
    }
    const left = allTabs().filter((tab) => tab.isPreview && !this.#wasOpen.has(uriOf(tab)));
    await window.tabGroups.close(left);
  }
}

function allTabs(): readonly Tab[] {
  return window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

function uriOf({ input }: Tab): string {
  return input instanceof TabInputText ? input.uri.toString() : "";
}

function isSame(one: SearchHit, other: SearchHit): boolean {
  return one.uri === other.uri && one.firstLine === other.firstLine;
}

/** Where to open a hit: its beginning may be far from the lines that tell most. */
function tellingLines({ uri, lines, firstLine, lastLine }: SearchHit) {
  return { uri: Uri.parse(uri), first: lines[0] ?? firstLine, last: lines.at(-1) ?? lastLine };
}

function itemOf(hit: SearchHit) {
  const { path, firstLine, lastLine, context, text, lines } = hit;
  const all = text.split("\n");
  const telling = lines.map((line) => all[line - firstLine]?.trim()).filter(Boolean);
  const detail = labelled(telling.slice(0, TELLING).join(" ⋯ "));
  const place = firstLine === lastLine ? firstLine : `${firstLine}-${lastLine}`;
  const label = `$(file-code) ${labelled(path)}:${place}`;
  return { label, description: labelled(context), detail, alwaysShow: true, hit };
}
