"""Which parts of a request exist only under a beta, and the header names that open them."""

from collections.abc import Mapping

MCP = frozenset({"mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"})
CONTEXT = frozenset({"context-management-2025-06-27"})
AUTO_COMPACTION = frozenset({"compact-2026-01-12"})
COMPACTION = frozenset({"compact-2026-09-04"})
FALLBACK = frozenset({"server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"})
CREDIT = frozenset({"fallback-credit-2026-06-01", "fallback-credit-2026-07-01"})
TOOL_CHANGES = frozenset({"mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"})
ADVISOR = frozenset({"advisor-tool-2026-03-01"})
OLD_COMPUTER = frozenset({"computer-use-2024-10-22"})

BETA_FIELDS: Mapping[str, frozenset[str]] = {
    "context_management": CONTEXT | AUTO_COMPACTION,
    "compaction": COMPACTION,
    "mcp_servers": MCP,
    "thread": frozenset({"message-threads-2026-08-12"}),
    "fallbacks": FALLBACK,
    "fallback_credit_token": CREDIT,
    "billing_policy": frozenset({"user-profiles-billing-2026-10-01"}),
    "task_budget": frozenset({"task-budgets-2026-03-13"}),
    "block_binding": frozenset({"thinking-binding-controls-2026-08-01"}),
    "clear_at": frozenset({"mid-conversation-system-clear-at-2026-08-21"}),
}
"""Field names that occur only in beta requests, wherever they stand."""

BETA_TAGS: Mapping[str, frozenset[str]] = {
    "clear_tool_uses_20250919": CONTEXT,
    "clear_thinking_20251015": CONTEXT,
    "compact_20260112": AUTO_COMPACTION,
    "compaction": AUTO_COMPACTION | COMPACTION,
    "fallback": FALLBACK,
    "mcp_tool_use": MCP,
    "mcp_tool_result": MCP,
    "mcp_tool_listing": MCP,
    "mcp_toolset": MCP,
    "tool_addition": TOOL_CHANGES,
    "tool_removal": TOOL_CHANGES,
    "advisor_tool_result": ADVISOR,
    "advisor_20260301": ADVISOR,
    "bash_20241022": OLD_COMPUTER,
    "text_editor_20241022": OLD_COMPUTER,
    "computer_20241022": OLD_COMPUTER,
    "computer_20250124": frozenset({"computer-use-2025-01-24"}),
    "computer_20251124": frozenset({"computer-use-2025-11-24"}),
}
"""Values of `type` that occur only in beta requests."""

HEADER_FIELDS = frozenset({"betas", "user_profile_id", "workspace_id"})
"""Parameters of the SDK's methods that travel as headers, never in the body."""


def open_under(gate: frozenset[str] | None, betas: frozenset[str]) -> bool:
    """Whether a part behind this gate (None: no gate) exists under these betas."""
    return gate is None or bool(gate & betas)
