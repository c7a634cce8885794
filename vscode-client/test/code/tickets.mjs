// A workspace with one of everything that a repository may bring for the model, and a program that is
// an MCP server with a tool, a prompt and a resource; Python runs it.

const TICKETS = `"""Tickets of the shop, for anyone who speaks the Model Context Protocol."""

import json
import sys

CAPABILITIES = {"tools": {}, "prompts": {}, "resources": {}}
TICKET = "#7: Prices of zero are refused."
ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": CAPABILITIES,
        "serverInfo": {"name": "tickets", "version": "1.2"},
    },
    "ping": {},
    "tools/list": {
        "tools": [{"name": "find", "description": "Finds tickets.", "inputSchema": {"type": "object"}}]
    },
    "tools/call": {"content": [{"type": "text", "text": TICKET}]},
    "prompts/list": {"prompts": [{"name": "triage", "description": "Sort the open tickets."}]},
    "resources/list": {"resources": [{"uri": "ticket://7", "name": "Prices of zero"}]},
    "resources/read": {"contents": [{"uri": "ticket://7", "text": TICKET}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answer = ANSWERS.get(asked["method"])
        told = {"error": {"code": -32601, "message": "?"}} if answer is None else {"result": answer}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
`;
const HOOK = { type: "command", command: "echo The shop is closed on Sundays." };

/** The files; `python` runs the server. */
export function described(python) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the server fills it in
  const args = ["-I", "-S", "${workspaceFolder}/tools/tickets.py"];
  const server = { command: python, args };
  return {
    "CLAUDE.md": "# The shop\n\nPrices are whole cents.\n",
    ".claude/skills/release/SKILL.md":
      "---\nname: release\ndescription: Releases a version of the shop.\n---\nTag it, then tell everybody.\n",
    ".claude/commands/changelog.md":
      "---\ndescription: Writes the changelog.\nargument-hint: since when\n---\nWrite what changed since $ARGUMENTS.\n",
    ".claude/agents/reviewer.md":
      "---\nname: reviewer\ndescription: Reads a change with care.\n---\nLook for mistakes in prices.\n",
    ".claude/settings.json": `${JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [HOOK] }] } }, null, 2)}\n`,
    ".mcp.json": `${JSON.stringify({ mcpServers: { tickets: server } }, null, 2)}\n`,
    "tools/tickets.py": TICKETS,
    "prices.py": "VAT = 19\n\n\ndef gross(cents):\n    return cents * (100 + VAT) // 100\n",
  };
}
