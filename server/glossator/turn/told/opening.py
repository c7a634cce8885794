"""The beginning of a conversation: the system prompt and the tools; less for a small window."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from glossator.application import Application, Explore, WorkspaceNow
from glossator.core.context_kinds import ContextKind
from glossator.core.looks import look
from glossator.core.notebook import is_notebook
from glossator.core.shown import shown
from glossator.customizations import Customizations, SkillTool
from glossator.edits import NotebookEdit
from glossator.llm import ModelRequest, ToolSpec, estimate_request, profile_of
from glossator.mcp import instructions_section, opening_specs
from glossator.memory import unlisted
from glossator.sessions import Section, Session
from glossator.turn.hooks import left_out_hooks
from glossator.turn.model_request import tool_specs
from glossator.turn.told.customizations import customizations_now
from glossator.turn.told.instruction_files import (
    IN_PROMPT,
    Instructions,
    instructions_now,
    left_out_files,
    versions,
)
from glossator.turn.told.part import in_time
from glossator.turn.told.recall import memory_index
from glossator.turn.told.system import (
    environment_facts,
    instruction_sections,
    language_section,
    plain_facts,
    profile_section,
    session_section,
    system_blocks,
)
from glossator.turn.told.whole import TooLarge, WholeWorkspace, whole_workspace
from glossator.workspace import WorkspaceSnapshot

# The names under which a session keeps what its system prompt consists of, and what it lacks.
SECTIONS = "sections"
LEFT_OUT = "leftOut"
SMALL = 16_000  # tokens; a smaller window gets less

_WINDOW_SHARE = 0.5  # of the model's window, that a whole workspace may take
_SMALL_WINDOW_TOOLS = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")  # for a small window
_GLANCE_FOLDERS = 100  # that are looked into for notebooks
_OPENING_SHARE = 0.5  # of the window, for all that stands before the first question


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Names and counts of what is left out, such as `2 hooks`, for people.

    `untrusted` waits until the workspace is trusted. `proposed` waits until the user adopts it.
    `off` was turned off by the user.
    """

    untrusted: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unobeyed:
    """What the workspace asks for in vain, and what the user turned off; see `LeftOut`."""

    hooks: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


async def unobeyed(app: Application, now: WorkspaceNow) -> Unobeyed:
    """Look on disk for what is not obeyed, for `left_out`."""
    hooks, files = await asyncio.gather(left_out_hooks(app, now), left_out_files(app, now))
    off = await look(lambda: tuple(_turned_off(now))) if now.off else ()
    return Unobeyed(hooks, files, off)


def left_out(
    app: Application, now: WorkspaceNow, described: Customizations, found: Unobeyed
) -> LeftOut:
    """What is left out now of the workspace's and the user's own files."""
    programs = (*app.mcp.left_out(), *found.hooks)
    if now.trusted:
        return LeftOut((), programs, found.off)
    files = map(now.snapshot.relative, found.instructions)
    own = ("your hooks",) if any(app.hooks) else ()
    return LeftOut((*files, *described.left_out, *programs, *own), (), found.off)


@dataclass(frozen=True, slots=True)
class Opening:
    """System blocks and tools of a conversation, with the workspace if it goes in whole.

    `sections` are the parts of the second block, `missing` sentences on what is in no part.
    `described` is what files described then. `notices` tell the user what failed, and why the
    workspace does not go in whole.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    sections: tuple[Section, ...] = ()
    missing: tuple[str, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    described: Customizations = field(default_factory=Customizations)
    instructions: Instructions = field(default_factory=Instructions)
    whole: WholeWorkspace | None = None
    notices: tuple[str, ...] = ()

    def freeze(self, session: Session) -> None:
        """Begin a conversation with it."""
        placed = [[each.name, each.why, len(each.text), each.cut] for each in self.sections]
        told = versions(self.instructions.files)
        kept = {SECTIONS: placed, LEFT_OUT: list(self.missing), IN_PROMPT: told}
        session.freeze(self.system, self.tools, kept)
        if self.whole is None:
            return
        session.reads.show(self.whole.spans)
        for document in self.whole.documents:
            session.reads.saw(document)
            session.reads.remember(document.path, (1, len(document.lines)), document.sha256)


async def opening_of(app: Application) -> Opening:
    """The opening of a conversation that begins now; the conversation freezes it.

    Where no sub-agent is described, none can be named; without skills there is no tool for them,
    and without notebooks none for cells.
    """
    failed: list[str] = []
    await app.model.measure()
    now = app.now()
    nothing = Customizations()
    looking = in_time("MCP servers", app.mcp.refresh, None, failed.append)
    (_, cells), described, where, memories, instructions, asked_for = await asyncio.gather(
        asyncio.gather(looking, _has_notebooks(app)),
        in_time(
            "Sub-agents and skills", lambda: customizations_now(app, now), nothing, failed.append
        ),
        in_time(
            "Facts about the project",
            lambda: session_now(app, now),
            sub_agent_section(now.snapshot),
            failed.append,
        ),
        in_time("Memories", lambda: memory_index(app, now), "", failed.append),
        in_time(
            "Instruction files", lambda: instructions_now(app, now), Instructions(), failed.append
        ),
        in_time("Notices on trust", lambda: unobeyed(app, now), Unobeyed(), failed.append),
    )
    specs = tool_specs(app.tools)
    searches = profile_of(app.settings.models).tool_search
    offered = opening_specs(app.mcp, searches=searches) if app.mcp.running else ()
    useless = _useless(described, has_notebooks=cells)
    specs = tuple(spec for spec in (*specs, *offered) if spec.name not in useless)
    if not described.agents:
        specs = tuple(_unnamed(spec) if spec.name == Explore.name else spec for spec in specs)
    sections = [where]
    if language := app.settings.context.language:
        sections.append(language_section(language))
    who = app.settings.profile
    if profile := profile_section(who.role, who.persona, who.rules):
        sections.append(profile)
    if memories:
        why = "the index of what you had remembered; memory.enabled turns it off"
        sections.append(Section("memories", memories, why, unlisted(memories)))
    sections += instruction_sections(instructions)
    said = app.mcp.instructions() if app.mcp.running else {}
    if words := instructions_section(said):
        sections.append(Section("MCP servers", words, "what they say about the use of their tools"))
    small = ""
    if is_small(window := app.model.window) and not app.model.offline:
        specs, sections, small = fitted_opening(specs, sections, window)
        failed.append(small)
    system = system_blocks(sections)
    found = left_out(app, now, described, asked_for)
    missing = _left_out(app, found, instructions, len(offered), words)
    missing = (*missing, small) if small else missing
    opening = Opening(
        system,
        specs,
        tuple(sections),
        missing,
        found,
        described,
        instructions,
        notices=tuple(failed),
    )
    most = min(app.settings.retrieval.whole_tokens, int(app.model.window * _WINDOW_SHARE))
    if not most or app.model.offline:
        return opening
    await app.ready()
    snapshot = app.host.snapshot()
    whole = await asyncio.to_thread(whole_workspace, snapshot, app.acting.hidden(), most)
    if isinstance(whole, TooLarge):
        notice = (
            f"The workspace has about {whole.tokens:,} tokens, and at most {most:,} go into the"
            " prompt whole (retrieval.wholeTokens, and half of the model's window), so it is"
            " searched instead."
        )
        return replace(opening, notices=(*failed, notice), missing=(*missing, notice))
    return replace(opening, system=(*system, whole.text), whole=whole)


def _left_out(
    app: Application,
    found: LeftOut,
    instructions: Instructions,
    offered: int,
    servers_words: str,
) -> tuple[str, ...]:
    """Sentences for people on what the prompt leaves out."""
    told = [f"Of the instruction files: {problem}." for problem in instructions.problems]
    if found.untrusted:
        told.append(f"As the workspace is not trusted: {', '.join(found.untrusted)}.")
    if found.proposed:
        told.append(f"Not adopted: {', '.join(found.proposed)} of this workspace.")
    if found.off:
        told.append(f"Turned off here: {', '.join(found.off)}.")
    if not app.mcp.running:
        return tuple(told)
    if (tools := len(app.mcp.tools()) - offered) > 0:
        told.append(
            f"{tools:,} tools of MCP servers, which would exceed mcp.toolTokens; the model finds"
            " them by ToolSearch."
        )
    if unread := [name for name in app.mcp.instructions() if f"{name}:\n" not in servers_words]:
        told.append(f"What MCP servers say of themselves, as it is too long: {', '.join(unread)}.")
    return tuple(told)


async def session_now(app: Application, now: WorkspaceNow) -> Section:
    """Where a session that begins now takes place."""
    facts = await look(environment_facts, now.snapshot, app.environment, app.port.editor, _today())
    return session_section(now.snapshot, facts)


def sub_agent_section(snapshot: WorkspaceSnapshot) -> Section:
    """What a sub-agent is told of the session."""
    return session_section(snapshot, plain_facts(_today()))


def _today() -> date:
    return date.today()  # noqa: DTZ011 - the user's own calendar


def _unnamed(spec: ToolSpec) -> ToolSpec:
    arguments = {k: v for k, v in spec.input_schema["properties"].items() if k != "agent"}
    return replace(spec, input_schema={**spec.input_schema, "properties": arguments})


def is_small(window: int) -> bool:
    """Whether a window of so many tokens is too small for all tools."""
    return window < SMALL


def fitted_opening(
    specs: Sequence[ToolSpec], sections: Sequence[Section], window: int
) -> tuple[tuple[ToolSpec, ...], list[Section], str]:
    """The tools in short, the sections that fit, and a sentence on what is left out.

    The first section, which says where the session takes place, stays.
    """
    kept = tuple(_short(spec) for spec in specs if spec.name in _SMALL_WINDOW_TOOLS)
    gone = [spec.name for spec in specs if spec.name not in _SMALL_WINDOW_TOOLS]
    fitting = list(sections)
    while len(fitting) > 1 and _size(kept, fitting) > _OPENING_SHARE * window:
        longest = max(fitting[1:], key=lambda each: len(each.text))
        fitting.remove(longest)
        gone.append(longest.name)
    said = (
        f"The model's window has {window:,} tokens, so it is told less. Left out:"
        f" {', '.join(gone)}. Load the model with more, such as 32,000, for all of it."
    )
    return kept, fitting, said


def _size(specs: tuple[ToolSpec, ...], sections: Sequence[Section]) -> int:
    return estimate_request(ModelRequest(system_blocks(sections), specs, ()))


def _short(spec: ToolSpec) -> ToolSpec:
    """The tool with the first paragraph of its description, and arguments without descriptions."""
    schema = _wordless(spec.input_schema)
    return replace(spec, description=spec.description.partition("\n\n")[0], input_schema=schema)


def _wordless(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties", {})
    bare = {
        name: {key: value for key, value in field.items() if key != "description"}
        for name, field in fields.items()
    }
    return {**schema, "properties": bare}


def _useless(described: Customizations, *, has_notebooks: bool) -> set[str]:
    """The names of tools that have nothing to do here."""
    found = {SkillTool.name: bool(described.skills), NotebookEdit.name: has_notebooks}
    return {name for name, is_there in found.items() if not is_there}


async def _has_notebooks(app: Application) -> bool:
    """Whether a notebook is there or open; before the scan is complete, at the first glance."""
    if any(map(is_notebook, app.host.overlays)):
        return True
    snapshot = app.host.snapshot()
    if snapshot.index_complete:
        return await look(lambda: any(is_notebook(entry.path) for entry in snapshot.files()))
    return await look(_has_notebook_at_a_glance, snapshot.roots)


def _has_notebook_at_a_glance(roots: tuple[str, ...]) -> bool:
    """Whether a notebook is in the first folders, level by level; blocking."""
    folders = deque(roots)
    for _ in range(_GLANCE_FOLDERS):
        if not folders:
            break
        with suppress(OSError), os.scandir(folders.popleft()) as entries:
            for entry in entries:
                if is_notebook(entry.name):
                    return True
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return False


def _turned_off(now: WorkspaceNow) -> Iterator[str]:
    """What the user turned off here, without files that are gone; blocking."""
    for kind in ContextKind:
        for key in sorted(now.is_off(kind)):
            if kind is ContextKind.HOOK:
                yield f"the hook {key}"
            elif kind is ContextKind.MCP:
                yield f"the MCP server {shown(key)}"
            elif os.path.lexists(key):
                memory = f"the memory {shown(Path(key).stem)}"
                yield memory if kind is ContextKind.MEMORY else now.snapshot.relative(key)
