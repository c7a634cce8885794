"""The beginning of a conversation: the system prompt and the tools."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import date

from glossator.agent import tool_specs
from glossator.application.application import Application
from glossator.context import TooLarge, WholeWorkspace, system_blocks, whole_workspace
from glossator.customizations import Customizations
from glossator.llm import ToolSpec
from glossator.tools import Explore, ReadState, Skill

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


async def opening_of(app: Application, described: Customizations) -> Opening:
    """What opens a conversation as things are now; it is frozen when the conversation begins.

    Where no sub-agent is described, none can be named; without a skill there is no tool for them.
    """
    today = date.today()  # noqa: DTZ011 - the user's own calendar
    specs = tool_specs(app.tools)
    if not described.agents:
        specs = tuple(_unnamed(spec) if spec.name == Explore.name else spec for spec in specs)
    if not described.skills:
        specs = tuple(spec for spec in specs if spec.name != Skill.name)
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
