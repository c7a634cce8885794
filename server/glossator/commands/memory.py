"""Memories: list them, read, open or forget one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from glossator.application import Application
from glossator.core.context_kinds import SWITCHED_OFF, ContextKind
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown, shown_prose
from glossator.core.uri import to_uri
from glossator.memory import (
    ForgottenMemory,
    Kept,
    Memory,
    MemoryList,
    MemoryText,
    MemoryView,
    OpenedMemory,
    gone_places,
    gone_symbols,
    origin,
    problem_in,
)

_SYMBOL_SECONDS = 2.0  # for the symbols that all of them name


@dataclass(frozen=True, slots=True)
class ListMemoriesRequest:
    """All memories that count in the workspace."""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A memory by name; `everywhere` tells two of one name apart: whether it counts everywhere."""

    name: str
    everywhere: bool | None = None


async def list_memories(app: Application, _request: ListMemoriesRequest) -> MemoryList:
    """The memories, with what is stale in them; `MEMORY.md` is as the files are then."""
    kept = await _kept(app)
    problems = kept.problems
    try:
        await asyncio.to_thread(app.memories.tidy)
    except StoreUnavailable as error:  # they can be read all the same
        problems = (*problems, str(error))
    return MemoryList(await _views(app, kept.memories), problems)


async def show_memory(app: Application, request: MemoryRequest) -> MemoryText:
    """All of a memory. Raises `UsageError` if there is none of that name."""
    memory = await _found(app, request)
    (view,) = await _views(app, (memory,))
    return MemoryText(view, shown_prose(memory.text))


async def open_memory(app: Application, request: MemoryRequest) -> OpenedMemory:
    """The file of a memory. Raises `UsageError` if there is none of that name."""
    memory = await _found(app, request)
    return OpenedMemory(to_uri(str(memory.path)), str(memory.path))


async def forget_memory(app: Application, request: MemoryRequest) -> ForgottenMemory:
    """Delete a memory. Raises `UsageError` if there is none of that name, `StoreUnavailable`."""
    memory = await _found(app, request)
    await asyncio.to_thread(app.memories.forget, memory)
    return ForgottenMemory(memory.name, len((await _kept(app)).memories))


def memory_problem(path: str) -> str:
    """What is wrong with a file that should be a memory, in a sentence; "" if nothing is."""
    problem = problem_in(Path(path))
    return f"{shown(path)} {problem}" if problem else ""


async def _kept(app: Application) -> Kept:
    return await asyncio.to_thread(app.memories.kept)


async def _found(app: Application, request: MemoryRequest) -> Memory:
    kept = await _kept(app)
    try:
        return kept.find(request.name, everywhere=request.everywhere)
    except UsageError as error:
        if not kept.problems:
            raise
        raise UsageError("\n".join((str(error), *kept.problems))) from error


async def _views(app: Application, memories: tuple[Memory, ...]) -> tuple[MemoryView, ...]:
    if any(each.about for each in memories):
        await app.ready()
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()
    ends = asyncio.get_running_loop().time() + _SYMBOL_SECONDS
    views = []
    for memory in memories:
        left = max(ends - asyncio.get_running_loop().time(), 0)
        gone = (
            *await asyncio.to_thread(gone_places, memory, snapshot, hidden),
            *await gone_symbols(memory, snapshot, app.symbols, hidden, left),
        )
        views.append(_view(memory, gone, _why_off(app, memory)))
    return tuple(views)


def _why_off(app: Application, memory: Memory) -> str:
    """Why it is not recalled; "" if it is."""
    if not app.settings.memory.enabled:
        return "The setting memory.enabled is false."
    return SWITCHED_OFF if str(memory.path) in app.switches.off(ContextKind.MEMORY) else ""


def _view(memory: Memory, gone: tuple[str, ...], off: str) -> MemoryView:
    return MemoryView(
        memory.name,
        memory.type.value,
        memory.description,
        "user" if memory.everywhere else "project",
        "off" if off else "stale" if gone else "on",
        off or "; ".join(gone),
        origin(memory, datetime.now(UTC)),
        to_uri(str(memory.path)),
        str(memory.path),
        memory.created.isoformat(timespec="seconds"),
        memory.updated.isoformat(timespec="seconds"),
        memory.about,
    )
