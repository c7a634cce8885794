"""What opens every request of a new conversation: the system prompt and the tools."""

from __future__ import annotations

from datetime import date

from glossator.agent.specs import tool_specs
from glossator.context.system import system_blocks
from glossator.llm.model import ToolSpec
from glossator.service.application import Application


def opening(app: Application) -> tuple[tuple[str, ...], tuple[ToolSpec, ...]]:
    """System blocks and tools as they are now; a conversation freezes them when it begins."""
    today = date.today()  # noqa: DTZ011 - the user's own calendar
    return system_blocks(app.host.snapshot(), today), tool_specs(app.tools)
