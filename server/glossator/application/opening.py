"""The beginning of a conversation: the system prompt, the tools, and the described sub-agents."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import date

from glossator.agent import tool_specs
from glossator.application.application import Application
from glossator.context import (
    CustomAgent,
    TooLarge,
    WholeWorkspace,
    agents_listing,
    custom_agents,
    system_blocks,
    whole_workspace,
)
from glossator.llm import ToolSpec, profile_of
from glossator.mcp import opening_specs
from glossator.prompts import load_prompt
from glossator.sessions import Session
from glossator.tools import Explore, ReadState

_WINDOW_SHARE = 0.5  # of the model's window, that a whole workspace may take


@dataclass(frozen=True, slots=True)
class Opening:
    """System blocks and tools of a conversation, with the workspace if it goes in whole.

    `notice` tells the user why it does not.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    whole: WholeWorkspace | None = None
    notice: str = ""

    def show(self, reads: ReadState) -> None:
        """Count what the system blocks show as shown."""
        if self.whole is None:
            return
        reads.show(self.whole.spans)
        for document in self.whole.documents:
            reads.saw(document)
            reads.remember(document.path, (1, len(document.lines)), document.sha256)


async def opening_of(app: Application) -> Opening:
    """What opens a conversation as things are now; it is frozen when the conversation begins.

    Where no sub-agent is described, none can be named.
    """
    today = date.today()  # noqa: DTZ011 - the user's own calendar
    await app.mcp.refresh()
    specs = tool_specs(app.tools)
    searches = profile_of(app.settings.models).tool_search
    specs = (*specs, *opening_specs(app.mcp, searches=searches))
    if Explore.name in app.tools and not await agents_now(app):
        specs = tuple(_unnamed(spec) if spec.name == Explore.name else spec for spec in specs)
    most = min(app.settings.retrieval.whole_tokens, int(app.model.window * _WINDOW_SHARE))
    if not most or app.model.offline:
        return Opening(system_blocks(app.host.snapshot(), today), specs)
    await app.ready()
    snapshot = app.host.snapshot()
    system = system_blocks(snapshot, today)
    found = await asyncio.to_thread(whole_workspace, snapshot, app.acting.hidden(), most)
    if isinstance(found, TooLarge):
        notice = (
            f"The workspace has about {found.tokens:,} tokens, and at most {most:,} go into the"
            " prompt whole (retrieval.wholeTokens, and half of the model's window), so it is"
            " searched instead."
        )
        return Opening(system, specs, notice=notice)
    return Opening((*system, found.text), specs, found)


def _unnamed(spec: ToolSpec) -> ToolSpec:
    arguments = {k: v for k, v in spec.input_schema["properties"].items() if k != "agent"}
    return replace(spec, input_schema={**spec.input_schema, "properties": arguments})


async def agents_now(app: Application) -> dict[str, CustomAgent]:
    """By name; those of a workspace that is not known to be trusted are left out."""
    snapshot = app.host.snapshot() if app.acting.trust.is_trusted else None
    home = app.environment.get("HOME") or app.environment.get("USERPROFILE")
    return await asyncio.to_thread(custom_agents, snapshot, home, app.acting.hidden())


async def agents_notice(app: Application, session: Session) -> str:
    """The list of sub-agents for a new conversation; may be empty."""
    if session.conversation.messages or Explore.name not in app.tools:
        return ""
    agents = await agents_now(app)
    return load_prompt("user/agents").render(agents=agents_listing(agents)) if agents else ""
