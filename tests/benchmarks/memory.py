"""The memory of one server: after six sessions, over many more, and with embeddings at rest.

Counted are the private pages of the server and its children, and their part of shared ones (PSS).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import timed_api
from tests.quiet import quietly
from tests.standin import Text, ToolUse, Turn

_FEW, _MANY = 6, 50  # sessions
_PLAIN: Mapping[str, Any] = {"retrieval": {"embedder": "none"}}  # without the extras
_LOCAL: Mapping[str, Any] = {"retrieval": {"embedder": "local"}}
_REST = 120  # seconds, in which the last chunks are embedded; the model leaves after one minute
_WORDS = ("queryset", "migration", "template", "middleware", "serializer", "widget", "signal")


async def run(root: Path, embedded: Path) -> bool:
    """Measure on `root`, embeddings on `embedded`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with state_folder():
        figures = [*await _sessions(root), await _embeddings(embedded)]
    return show_figures("Memory (PSS)", figures, note)


async def _sessions(root: Path) -> list[Figure]:
    async with _resident(root, _PLAIN) as client:
        begun = _parts(client.pid)
        await _ask(client, range(_FEW))
        few = _parts(client.pid)
        await _ask(client, range(_FEW, _FEW + _MANY))
        many = _parts(client.pid)
    growth = many[0] - few[0]
    return [
        Figure("with an index, before a session", sum(begun), "MB", detail=_detail(begun)),
        Figure(f"after {_FEW} sessions", sum(few), "MB", 130, detail=_detail(few)),
        Figure(f"growth of the server over {_MANY} more", growth, "MB", 3, detail=_detail(many)),
    ]


async def _embeddings(root: Path) -> Figure:
    async with _resident(root, _LOCAL) as client:
        while not await _is_embedded(client):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(1)
        at_work = _parts(client.pid)
        await asyncio.sleep(_REST)
        rest = _parts(client.pid)
    detail = f"{_detail(rest)}; before that {_detail(at_work)}"
    return Figure("embeddings at rest", sum(rest), "MB", 180, detail=detail)


async def _is_embedded(client: BenchClient) -> bool:
    said: str = (await client.command("status"))["chunks"]["embedding"]
    return "vectors" in said and "files wait" not in said


async def _ask(client: BenchClient, numbers: range) -> None:
    for _ in numbers:
        await client.command("ask", question="Where is it?")


def _parts(pid: int) -> list[float]:
    """Megabytes of the server and of each child."""
    process = psutil.Process(pid)
    together = [process, *process.children(recursive=True)]
    return [each.memory_full_info().pss / 1e6 for each in together]


def _detail(parts: list[float]) -> str:
    return " + ".join(f"{part:.0f}" for part in parts)


@asynccontextmanager
async def _resident(root: Path, settings: Mapping[str, Any]) -> AsyncIterator[BenchClient]:
    """A server whose workspace is indexed; its model greps once in each session."""
    turns = (
        (Turn(ToolUse("Grep", {"pattern": _WORDS[number % len(_WORDS)]})), Turn(Text("There.")))
        for number in range(_FEW + _MANY)
    )
    async with timed_api(list(chain.from_iterable(turns))) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with server(usual_environment() | model) as client:
            opening: dict[str, Any] = {
                "processId": None,
                "capabilities": {},
                "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                "initializationOptions": {"settings": quietly(settings)},
            }
            await client.request("initialize", opening)
            client.notify("initialized", {})
            await client.command("status", wait=True)
            while (await client.command("status"))["index"]["pending"]:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.2)
            yield client
