// In which column an editor is opened: one that the chat leads to does not cover the chat.

import { TabInputWebview, ViewColumn, window } from "vscode";
import { TAB } from "../panel/tab.ts";

/** Beside an editor tab with a chat that has the focus, else where the user is. */
export function besideChat(): ViewColumn {
  return isChatActive() ? ViewColumn.Beside : ViewColumn.Active;
}

/** Whether the editor tab that the user is in is a chat. */
export function isChatActive(): boolean {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof TabInputWebview && input.viewType.endsWith(TAB);
}
