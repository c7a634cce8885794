"""The sub-agents that files describe, as of now, and what a conversation is told of them."""

from __future__ import annotations

import asyncio

from glossator.application.application import Application
from glossator.context.agents import CustomAgent, custom_agents, listing
from glossator.prompts.loader import load_prompt
from glossator.sessions.session import Session
from glossator.tools.explore import Explore


async def agents_now(app: Application) -> dict[str, CustomAgent]:
    """By name; those of a workspace that the user does not trust are left out."""
    snapshot = None if app.acting.trust.said is False else app.host.snapshot()
    home = app.environment.get("HOME") or app.environment.get("USERPROFILE")
    return await asyncio.to_thread(custom_agents, snapshot, home, app.acting.hidden())


async def agents_told(app: Application, session: Session) -> str:
    """What a conversation that begins is told of them; "" if there are none."""
    if session.conversation.messages or Explore.name not in app.tools:
        return ""
    agents = await agents_now(app)
    return load_prompt("user/agents").render(agents=listing(agents)) if agents else ""
