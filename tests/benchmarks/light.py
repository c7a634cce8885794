"""What a turn costs beside a bare loop, and what a server at rest weighs.

The same calls go through `glossator serve` and through `bare_loop.py`, in turns, on the same
machine; the tools are included, the model is not. A gap is the time from the last byte of a reply
to the first of the next request. With `AGAINST=path/to/python` another Glossator's server, by the
Python it is installed in, is measured in the same rounds.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import timed_api
from tests.quiet import quietly
from tests.standin import Text, ToolUse, Turn

_ROUNDS = 3
_TURNS = 40  # of a kind, in a round
_LONG_TURNS = 12  # more of them would not fit into the model's window
_PROMPTS = 30
_FILE = "django/db/models/query.py"
_LONG = ("django/db/models/query.py", "django/db/models/sql/query.py", "django/db/models/base.py")
_SETTINGS = quietly(
    {
        "limits": {"turns": 10_000, "tokens": 10**10},
        "facts": {"summaryTokens": 10**9},
    }
)
_AIMS = {"a small grep": 1.3, "500 lines read": 3.0, "five reads": 2.5, "an unchanged re-read": 2.5}
_PROMPT_AIMS = {"new session": 7.0, "same session": 5.0}  # ms

Gaps = dict[str, list[float]]


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    servers = {"": (sys.executable, "-m", "glossator.lsp")}
    if other := os.environ.get("AGAINST"):
        servers["the other: "] = (other, "-m", "glossator.lsp")
    loop: Gaps = {}
    ours: dict[str, Gaps] = {name: {} for name in servers}
    prompts: dict[str, Gaps] = {name: {} for name in servers}
    for _ in range(_ROUNDS):  # interleaved: the machine's mood is shared
        await _looped(root, loop)
        for name, command in servers.items():
            with state_folder():
                await _served(root, command, ours[name], prompts[name])
    figures = []
    for name in servers:
        aims: Mapping[str, float] = {} if name else _AIMS
        for kind, gaps in ours[name].items():
            ratio = median(gaps) / median(loop[kind])
            detail = f"{_times(gaps)}; the loop: {_times(loop[kind])}"
            aim = aims.get(kind)
            figures.append(Figure(f"{name}{kind}, p50", ratio, "loops", aim, detail=detail))
        for kind, waits in prompts[name].items():
            what = f"{name}prompt → first request, {kind}"
            aim, last = (None, None) if name else (_PROMPT_AIMS[kind], 10)
            figures.append(Figure(f"{what}, p50", median(waits), "ms", aim))
            figures.append(Figure(f"{what}, p95", percentile(waits, 0.95), "ms", last))
    return show_figures("A turn beside a bare loop", figures, note)


def _script(root: Path) -> dict[str, list[Turn]]:
    """The turns of each kind; no call is made twice but where that is the point."""
    lines = [(path, first) for path in _LONG for first in range(1, len(_text(root, path)), 35)]
    small = [{"path": _FILE, "offset": 1 + 3 * n, "limit": 3} for n in range(_TURNS)]
    places = [
        {"path": path, "offset": at, "limit": 8}
        for path, first in lines
        for at in (first, first + 10)
    ]
    return {
        "a small grep": [Turn(ToolUse("Grep", _small_grep(n))) for n in range(_TURNS)],
        "500 lines read": [
            Turn(ToolUse("Read", {"path": path, "offset": first, "limit": 500}))
            for path, first in lines[:_LONG_TURNS]
        ],
        "five reads": [
            Turn(*(ToolUse("Read", each) for each in places[5 * n : 5 * n + 5]))
            for n in range(_TURNS)
        ],
        "an unchanged re-read": [
            Turn(*(ToolUse("Read", each) for each in small)),
            *(Turn(ToolUse("Read", each)) for each in small),
        ],
    }


def _small_grep(number: int) -> dict[str, Any]:
    """A search of one file that finds a few lines; no two are the same call."""
    return {
        "pattern": rf"\bdef [a-{chr(98 + number % 20)}]\w+",
        "path": _FILE,
        "output_mode": "content",
        "head_limit": 1 + number // 20,
    }


def _times(gaps: Sequence[float]) -> str:
    return f"{median(gaps):.1f} ms, p95 {percentile(gaps, 0.95):.1f}"


def _text(root: Path, path: str) -> list[str]:
    return (root / path).read_text(encoding="utf-8").splitlines()


async def _looped(root: Path, gaps: Gaps) -> None:
    script = _script(root)
    async with timed_api(_flat(script)) as api:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.benchmarks.bare_loop", str(root), *script),
            env=usual_environment()
            | {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url},
        )
        assert await process.wait() == 0
        _sort((await api.seen()).gaps, script, gaps)


async def _served(root: Path, command: Sequence[str], gaps: Gaps, prompts: Gaps) -> None:
    script = _script(root)
    warm = [Turn(Text("Yes."))] * (2 * _PROMPTS + 1)
    async with timed_api([*_flat(script), *warm]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with server(usual_environment() | model, command) as client:
            await _begin(client, root)
            for question in script:
                await client.command("ask", question=f"{question}?")
            session = (await client.command("ask", question="Is it so?"))["sessionId"]
            asked = []
            for known in ({}, {"sessionId": session}):
                for _ in range(_PROMPTS):
                    await asyncio.sleep(0.02)
                    asked.append(time.perf_counter())
                    await client.command("ask", question="Is it so?", **known)
        seen = await api.seen()
    _sort(seen.gaps, script, gaps)
    arrivals = seen.arrivals[-2 * _PROMPTS :]
    waits = [(came - began) * 1000 for began, came in zip(asked, arrivals, strict=True)]
    prompts.setdefault("new session", []).extend(waits[:_PROMPTS])
    prompts.setdefault("same session", []).extend(waits[_PROMPTS:])


async def _begin(client: BenchClient, root: Path) -> None:
    """Open the workspace, and wait until all of it is in the index."""
    folders = [{"uri": root.as_uri(), "name": root.name}]
    params: dict[str, Any] = {
        "processId": None,
        "capabilities": {},
        "workspaceFolders": folders,
        "initializationOptions": {"settings": _SETTINGS},
    }
    await client.request("initialize", params)
    client.notify("initialized", {})
    await client.command("status", wait=True)
    while (await client.command("status"))["index"]["pending"]:
        await client.command("tool", name="Grep", arguments={"pattern": "zzzqqqxxx"})


def _flat(script: Mapping[str, Sequence[Turn]]) -> list[Turn]:
    return [turn for turns in script.values() for turn in (*turns, Turn(Text("Done.")))]


def _sort(every: Sequence[float], script: Mapping[str, Sequence[Turn]], gaps: Gaps) -> None:
    """Sort the gaps of a run by their kind, without the first calls of each question."""
    at = 0
    for kind, turns in script.items():
        gaps.setdefault(kind, []).extend(every[at + 2 : at + len(turns)])
        at += len(turns) + 1
