"""The beginning of a conversation: the system prompt, the tools, and the described sub-agents."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date

from glossator.agent import tool_specs
from glossator.application.application import Application
from glossator.context import CustomAgent, agents_listing, custom_agents, system_blocks
from glossator.llm import ToolSpec
from glossator.prompts import load_prompt
from glossator.sessions import Session
from glossator.tools import Explore


async def opening_of(app: Application) -> tuple[tuple[str, ...], tuple[ToolSpec, ...]]:
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


async def agents_now(app: Application) -> dict[str, CustomAgent]:
    """By name; those of a workspace that the user does not trust are left out."""
    snapshot = None if app.acting.trust.said is False else app.host.snapshot()
    home = app.environment.get("HOME") or app.environment.get("USERPROFILE")
    return await asyncio.to_thread(custom_agents, snapshot, home, app.acting.hidden())


async def agents_notice(app: Application, session: Session) -> str:
    """The list of sub-agents for a new conversation; may be empty."""
    if session.conversation.messages or Explore.name not in app.tools:
        return ""
    agents = await agents_now(app)
    return load_prompt("user/agents").render(agents=agents_listing(agents)) if agents else ""
