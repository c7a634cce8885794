"""What opens every request of a new conversation: the system prompt and the tools."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from glossator.agent.specs import tool_specs
from glossator.application.application import Application
from glossator.application.custom_agents import agents_now
from glossator.context.system import system_blocks
from glossator.llm.model import ToolSpec
from glossator.tools.explore import Explore


async def opening(app: Application) -> tuple[tuple[str, ...], tuple[ToolSpec, ...]]:
    """System blocks and tools as they are now; a conversation freezes them when it begins.

    Where no sub-agent is described, none can be named.
    """
    today = date.today()  # noqa: DTZ011 - the user's own calendar
    specs = tool_specs(app.tools)
    if Explore.name in app.tools and not await agents_now(app):
        specs = tuple(_unnamed(spec) if spec.name == Explore.name else spec for spec in specs)
    return system_blocks(app.host.snapshot(), today), specs


def _unnamed(spec: ToolSpec) -> ToolSpec:
    arguments = {k: v for k, v in spec.input_schema["properties"].items() if k != "agent"}
    return replace(spec, input_schema={**spec.input_schema, "properties": arguments})
