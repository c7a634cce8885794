"""From process start to the answer to `initialize`, and to the first request to a model."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from tests.benchmarks.client import server, usual_environment
from tests.benchmarks.measure import Row, show
from tests.standin import StandIn, Text, Turn

_ROUNDS = 9
_IMPORTS = ("import pygls.lsp.server", "import anthropic")


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    rows: dict[str, list[float]] = {name: [] for name in ("initialize", "ask", *_IMPORTS)}
    await _first_request(root)  # once for the byte code
    for _ in range(_ROUNDS):  # interleaved: the machine's mood is shared
        rows["initialize"].append(await _initialize(root))
        rows["ask"].append(await _first_request(root))
        for statement in _IMPORTS:
            rows[statement].append(await _python(statement))
    ask = Row("glossator ask → first model request", rows["ask"], 600)
    imports = [Row(f"python -c '{name}'", rows[name]) for name in _IMPORTS]
    ratio = ask.median / imports[-1].median
    return show(
        "Start",
        (Row("process start → answer to initialize", rows["initialize"], 400), ask, *imports),
        f"workspace: {root.name}; a first request takes {ratio:.2f} of a plain 'import anthropic'",
    )


async def _initialize(root: Path) -> float:
    async with server(usual_environment()) as client:
        await client.initialize(root)
        return (time.perf_counter() - client.started) * 1000


async def _first_request(root: Path) -> float:
    async with StandIn([Turn(Text("An answer."))]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        environment = usual_environment() | model
        loop = asyncio.get_running_loop()
        started = loop.time()
        process = await asyncio.create_subprocess_exec(
            str(Path(sys.executable).with_name("glossator")),
            *("ask", "--workspace", str(root), "What is this?"),
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        request, *_ = await api.wait_for_requests(1, timeout=30)
        await process.wait()
        return (request.received_at - started) * 1000


async def _python(statement: str) -> float:
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", statement, env=usual_environment()
    )
    await process.wait()
    return (time.perf_counter() - started) * 1000
