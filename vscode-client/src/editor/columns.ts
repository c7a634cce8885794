// In which column an editor is opened: one that the chat leads to does not cover the chat.

import { TabInputWebview, ViewColumn, window } from "vscode";
import { TAB } from "../panel/tab.ts";

/** Beside an editor tab with a chat that has the focus, else where the user is. */
export function besideChat(): ViewColumn {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  const isChat = input instanceof TabInputWebview && input.viewType.endsWith(TAB);
  return isChat ? ViewColumn.Beside : ViewColumn.Active;
}
