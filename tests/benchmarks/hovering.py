"""Hover with glosses, at rest, and while four sub-agents run and the index is built anew."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

from glossator.commands.hover import LOOKING
from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, Times, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import timed_api
from tests.standin import Text, ToolUse, Turn

_FILE = "django/db/models/query.py"
_AGENTS = 4
_PACE = 0.5  # seconds; a quick model
_NICENESS = 19  # of the stand-in: a model thinks on other machines
_CALLS = 200  # of all sub-agents together
_WARM = 0.5  # seconds: a text that was opened rests
_HOVERS = 400  # at rest
_BETWEEN = 0.02  # seconds between two hovers; a person makes a few in a second
_WORDS = "get", "set", "make", "as", "is", "to", "add", "has"
_MODES = "content", "files", "count"
_WORD = re.compile(r"\b(?:def|class) (\w+)|\b(\w+)\(")
_SETTINGS = {
    "agents": {"very": {"turns": _CALLS, "tokens": 10**9, "seconds": 600}},
    "limits": {"tokens": 10**9},
}


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the target is met."""
    note = await asyncio.to_thread(describe, root)
    text = await asyncio.to_thread((root / _FILE).read_text)
    told = itertools.repeat(Turn(Text("- Found it.")), _AGENTS)
    script = [*itertools.islice(_calls(), _CALLS), *told]
    with state_folder():
        async with timed_api(script, _PACE, _NICENESS) as api:
            model = {"ANTHROPIC_API_KEY": "bench-key", "ANTHROPIC_BASE_URL": api.base_url}
            async with server(usual_environment() | model) as client:
                places = await _prepare(client, root, text)
                rest = Times()
                for at in places[:_HOVERS]:
                    await _hover(client, root, at, rest)
                busy, seconds, builds = await _while_busy(client, root, places)
    more = f"in {seconds:.0f} s, the index built {builds} times: {_described(busy)}"
    figures = [
        Figure("at rest, p99", percentile(rest.counted, 0.99), "ms", 10, detail=_described(rest)),
        Figure(
            "four sub-agents, index built, p99",
            percentile(busy.counted, 0.99),
            "ms",
            10,
            detail=more,
        ),
    ]
    return show_figures("Hover with glosses", figures, note)


def _calls() -> Iterator[Turn]:
    """What sub-agents do: searches of everything, and reading; no call comes twice."""
    searches = itertools.product(range(1, 8), _MODES, _WORDS)
    for number, (letters, mode, word) in enumerate(searches):
        pattern = f"{word}_[a-z]{{{letters}}}\\b"
        yield Turn(ToolUse("Grep", {"pattern": pattern, "output_mode": mode}))
        if number % 2:
            reading = {"path": _FILE, "offset": 1 + number * 7, "limit": 200}
            yield Turn(ToolUse("Read", reading))


async def _prepare(client: BenchClient, root: Path, text: str) -> list[tuple[int, int]]:
    """Open the file and gloss a symbol; gives the places of names that a hover says something of.

    They were hovered over once: what is measured comes from memory.
    """
    folders = [{"uri": root.as_uri(), "name": root.name}]
    options = {"settings": _SETTINGS}
    params: dict[str, Any] = {"initializationOptions": options, "workspaceFolders": folders}
    await client.request("initialize", params | {"processId": None, "capabilities": {}})
    client.notify("initialized", {})
    await client.command("status", wait=True)
    await client.command("rebuildIndex", mode="update")
    document = {"uri": (root / _FILE).as_uri(), "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    await asyncio.sleep(_WARM)
    found = []
    for number, line in enumerate(text.splitlines()):
        for match in _WORD.finditer(line):
            at = number, match.start(match.lastindex or 0)
            told = await _ask(client, root, at)
            if told is not None and LOOKING not in told["contents"]["value"]:
                found.append(at)
        if len(found) >= _HOVERS:
            break
    return found


async def _while_busy(
    client: BenchClient, root: Path, places: list[tuple[int, int]]
) -> tuple[Times, float, int]:
    """The times of hovers, how long it all took, and how often the index was built."""
    begun, builds, times = time.perf_counter(), 0, Times()
    exploring = [_explore(client, number) for number in range(_AGENTS)]
    agents = asyncio.gather(*exploring)
    build: asyncio.Task[Any] = asyncio.create_task(client.command("rebuildIndex"))
    for at in itertools.cycle(places):
        if agents.done():
            break
        if build.done():
            builds += 1
            build = asyncio.create_task(client.command("rebuildIndex"))
        await _hover(client, root, at, times)
        await asyncio.sleep(_BETWEEN)
    build.cancel()
    return times, time.perf_counter() - begun, builds


def _explore(client: BenchClient, number: int) -> Awaitable[Any]:
    task = f"Who caches querysets? Part {number}."
    return client.command("explore", task=task, thoroughness="very")


async def _hover(client: BenchClient, root: Path, at: tuple[int, int], times: Times) -> None:
    with times.one():
        await _ask(client, root, at)


def _described(times: Times) -> str:
    return (
        f"median {percentile(times.counted, 0.5):.1f} ms, most {max(times.counted):.1f} ms,"
        f" {len(times.counted)} hovers, {times.left_out} left out because a host held us up"
    )


async def _ask(client: BenchClient, root: Path, at: tuple[int, int]) -> Any:
    position = {"line": at[0], "character": at[1]}
    params = {"textDocument": {"uri": (root / _FILE).as_uri()}, "position": position}
    return await client.request("textDocument/hover", params)
