"""The beginning of a conversation: the system prompt and the tools."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import date

from glossator.agent import tool_specs
from glossator.application.application import Application
from glossator.application.instructing import instructions_now, know_instructions
from glossator.application.recall import memory_index
from glossator.context import (
    Instructions,
    Section,
    TooLarge,
    WholeWorkspace,
    environment_facts,
    instruction_sections,
    language_section,
    plain_facts,
    session_section,
    system_blocks,
    whole_workspace,
)
from glossator.customizations import Customizations
from glossator.llm import ToolSpec, profile_of
from glossator.mcp import instructions_section, opening_specs
from glossator.sessions import Session
from glossator.tools import Explore, Skill

_WINDOW_SHARE = 0.5  # of the model's window, that a whole workspace may take


SECTIONS = "sections"  # the name under which a session keeps what its system prompt consists of


@dataclass(frozen=True, slots=True)
class Opening:
    """System blocks and tools of a conversation, with the workspace if it goes in whole.

    `sections` are the parts of the second block. `notice` tells the user why the workspace does not
    go in whole.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    sections: tuple[Section, ...] = ()
    instructions: Instructions = field(default_factory=Instructions)
    whole: WholeWorkspace | None = None
    notice: str = ""

    def freeze(self, session: Session) -> None:
        """Begin a conversation with it."""
        session.freeze(self.system, self.tools)
        session.keep(SECTIONS, [[each.name, each.why, len(each.text)] for each in self.sections])
        know_instructions(session, self.instructions, in_prompt=True)
        if self.whole is None:
            return
        session.reads.show(self.whole.spans)
        for document in self.whole.documents:
            session.reads.saw(document)
            session.reads.remember(document.path, (1, len(document.lines)), document.sha256)


async def opening_of(app: Application, described: Customizations) -> Opening:
    """What opens a conversation as things are now; it is frozen when the conversation begins.

    Where no sub-agent is described, none can be named; without a skill there is no tool for them.
    """
    await app.mcp.refresh()
    specs = tool_specs(app.tools)
    searches = profile_of(app.settings.models).tool_search
    specs = (*specs, *opening_specs(app.mcp, searches=searches))
    if not described.agents:
        specs = tuple(_unnamed(spec) if spec.name == Explore.name else spec for spec in specs)
    if not described.skills:
        specs = tuple(spec for spec in specs if spec.name != Skill.name)
    sections = [await session_now(app)]
    if language := app.settings.context.language:
        sections.append(language_section(language))
    if memories := await memory_index(app):
        sections.append(Section("memories", memories, "the index of what you had remembered"))
    instructions = await instructions_now(app)
    sections += instruction_sections(instructions)
    if words := instructions_section(app.mcp):
        sections.append(Section("MCP servers", words, "what they say about the use of their tools"))
    system = system_blocks(sections)
    opening = Opening(system, specs, tuple(sections), instructions)
    most = min(app.settings.retrieval.whole_tokens, int(app.model.window * _WINDOW_SHARE))
    if not most or app.model.offline:
        return opening
    await app.ready()
    snapshot = app.host.snapshot()
    found = await asyncio.to_thread(whole_workspace, snapshot, app.acting.hidden(), most)
    if isinstance(found, TooLarge):
        notice = (
            f"The workspace has about {found.tokens:,} tokens, and at most {most:,} go into the"
            " prompt whole (retrieval.wholeTokens, and half of the model's window), so it is"
            " searched instead."
        )
        return replace(opening, notice=notice)
    return replace(opening, system=(*system, found.text), whole=found)


async def session_now(app: Application) -> Section:
    """Where a session that begins now takes place."""
    snapshot = app.host.snapshot()
    facts = await asyncio.to_thread(
        environment_facts, snapshot, app.environment, app.port.editor, _today()
    )
    return session_section(snapshot, facts)


def sub_agent_section(app: Application) -> Section:
    """What a sub-agent is told of the session."""
    return session_section(app.host.snapshot(), plain_facts(_today()))


def _today() -> date:
    return date.today()  # noqa: DTZ011 - the user's own calendar


def _unnamed(spec: ToolSpec) -> ToolSpec:
    arguments = {k: v for k, v in spec.input_schema["properties"].items() if k != "agent"}
    return replace(spec, input_schema={**spec.input_schema, "properties": arguments})
