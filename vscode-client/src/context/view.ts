// The view of where what the model is told comes from: instructions, memories, facts, skills, slash
// commands, sub-agents, hooks and MCP servers; of the rules for what it may do, and of what Search
// finds by. VS Code asks for its content only while it can be seen.

import {
  type Disposable,
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  type TreeCheckboxChangeEvent,
  type TreeDataProvider,
  TreeItem,
  TreeItemCheckboxState,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
} from "vscode";
import { shown, shownText } from "../shown.ts";
import type { ContextSource, ContextSourceList } from "../wire.ts";
import {
  type Group,
  groupsOf,
  heard,
  isOn,
  isProposed,
  nameOf,
  signOf,
  wordsOf,
} from "./entries.ts";

/** The view's id in the manifest. */
const CONTEXT_VIEW = "glossator.context";

const NOTHING =
  "Nothing but your questions goes to the model here. Instructions (AGENTS.md, CLAUDE.md), memories, skills, slash commands, sub-agents, hooks and MCP servers are listed once there are some.";
const LEFT_OUT = "This folder is not trusted: what its files describe is left out.";

/** What was not read, as the last group. */
interface Problems {
  readonly problems: readonly string[];
}

type Element = Group | ContextSource | Problems | string;

/** What it needs of the server: the list, which is empty while there is none, and switching something. */
export interface Sources {
  list(): Promise<ContextSourceList>;
  turn(source: ContextSource, on: boolean): Promise<unknown>;
  failed(error: unknown): void;
}

/** Shows what there is; `refresh` when that may have changed. */
export class ContextView implements TreeDataProvider<Element>, Disposable {
  readonly #changes = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changes.event; // before the view, which listens to it
  readonly #view = window.createTreeView<Element>(CONTEXT_VIEW, {
    treeDataProvider: this,
    showCollapseAll: true,
    manageCheckboxStateManually: true,
  });

  constructor(private readonly sources: Sources) {
    this.#view.onDidChangeCheckboxState((change) => void this.#switched(change));
  }

  /** Something changed; a view that is not seen asks for it when it is. */
  refresh(): void {
    this.#changes.fire();
  }

  async getChildren(element?: Element): Promise<Element[]> {
    if (element === undefined) {
      return await this.#listed();
    }
    if (typeof element !== "string" && "sources" in element) {
      return [...element.sources];
    }
    return typeof element !== "string" && "problems" in element ? [...element.problems] : [];
  }

  getTreeItem(element: Element): TreeItem {
    if (typeof element === "string") {
      return problemItem(element);
    }
    if ("problems" in element) {
      return groupItem("Problems", "warning", element.problems.length);
    }
    return "sources" in element
      ? groupItem(element.title, element.icon, element.sources.length)
      : sourceItem(element);
  }

  dispose(): void {
    this.#view.dispose();
    this.#changes.dispose();
  }

  async #listed(): Promise<Element[]> {
    const { sources, problems } = await this.sources.list();
    const waiting = sources.filter(isProposed).length;
    const leftOut = sources.some(({ state }) => state === "untrusted");
    const goesIn = sources.some(({ kind }) => kind !== "rule" && kind !== "index");
    this.#view.description = waiting > 0 ? `${waiting} not approved` : "";
    this.#view.message = leftOut ? LEFT_OUT : goesIn || sources.length === 0 ? "" : NOTHING;
    return [...groupsOf(sources), ...(problems.length > 0 ? [{ problems }] : [])];
  }

  /** What the server refuses is shown as it was. */
  async #switched({ items }: TreeCheckboxChangeEvent<Element>): Promise<void> {
    try {
      for (const [element, state] of items) {
        if (typeof element !== "string" && "actions" in element) {
          await this.sources.turn(element, state === TreeItemCheckboxState.Checked);
        }
      }
    } catch (error) {
      this.sources.failed(error);
    }
    this.refresh();
  }
}

function groupItem(title: string, icon: string, count: number): TreeItem {
  const item = new TreeItem(title, TreeItemCollapsibleState.Expanded);
  item.id = title;
  item.description = String(count);
  item.iconPath = new ThemeIcon(icon);
  item.contextValue = "group";
  item.accessibilityInformation = { label: `${title}, ${count}` };
  return item;
}

function problemItem(problem: string): TreeItem {
  const item = new TreeItem(shown(problem), TreeItemCollapsibleState.None);
  item.iconPath = new ThemeIcon("error", new ThemeColor("list.errorForeground"));
  item.tooltip = new MarkdownString("").appendText(shownText(problem));
  return item;
}

function sourceItem(source: ContextSource): TreeItem {
  const { icon, colour } = signOf(source);
  const item = new TreeItem(nameOf(source), TreeItemCollapsibleState.None);
  item.id = `${source.kind} ${source.source} ${source.id}`;
  item.description = wordsOf(source);
  item.iconPath = new ThemeIcon(icon, colour === undefined ? undefined : new ThemeColor(colour));
  item.tooltip = tooltipOf(source);
  item.contextValue = [source.kind, source.state, ...source.actions].join(" ");
  item.accessibilityInformation = { label: heard(source) };
  if (source.actions.includes("open")) {
    item.command = { command: "glossator.openContext", title: "Open", arguments: [source] };
  }
  const on = isOn(source);
  if (on !== undefined) {
    const tooltip = on ? "Turn off" : "Turn on";
    const { Checked, Unchecked } = TreeItemCheckboxState;
    item.checkboxState = { state: on ? Checked : Unchecked, tooltip };
  }
  return item;
}

/** Names, commands and reasons are words of others: none of them is Markdown. */
function tooltipOf(source: ContextSource): MarkdownString {
  const { kind, detail, why, uri } = source;
  const tooltip = new MarkdownString("").appendMarkdown("**");
  tooltip.appendText(nameOf(source)).appendMarkdown("** — ");
  tooltip.appendText(wordsOf(source)).appendMarkdown("\n\n");
  if (detail && kind === "mcp") {
    tooltip.appendCodeblock(shownText(detail), "shellscript");
  } else if (detail) {
    tooltip.appendText(shownText(detail)).appendMarkdown("\n\n");
  }
  if (why) {
    tooltip.appendText(shownText(why)).appendMarkdown("\n\n");
  }
  if (uri) {
    tooltip.appendText(shown(workspace.asRelativePath(Uri.parse(uri))));
  }
  return tooltip;
}
