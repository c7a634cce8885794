"""Calls that are cancelled and clients that leave, at any moment: nothing hangs or stays behind."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from glossator.mcp_server.serve import serve_streams
from glossator.mcp_server.server import GlossatorServer
from tests.mcp_server.client import door, write
from tests.mcp_server.test_program import HELLO
from tests.patience import SECONDS, until

FEW = 10
TIMES = 100
FILES = {f"m{number}.py": f"def work{number}(load):\n    return load\n" for number in range(30)}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "work with load"}),
    ("grep", {"pattern": "load"}),
    ("symbols", {"mode": "references", "name": "work3"}),
    ("check", {"text": "`work1` gives its load back [cite: doc, m1.py, L1-L2]."}),
]


@pytest.mark.parametrize("seed", [1])
async def test_calls_cancelled_at_any_moment(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    async with door(tmp_path, FILES) as d:
        await asyncio.gather(*(d.call(name, **arguments) for name, arguments in CALLS))
        before = len(asyncio.all_tasks())
        for _ in range(TIMES):
            name, arguments = random.choice(CALLS)
            calling = asyncio.create_task(d.call(name, **arguments))
            await asyncio.sleep(random.random() * 0.02)
            calling.cancel()
            await asyncio.wait({calling}, timeout=20)
            assert calling.done()
        assert "m3.py:1-2" in await d.text("search", query="work3")
        await until(lambda: len(asyncio.all_tasks()) <= before + 3)  # of the index and its like


@pytest.mark.parametrize("times", [FEW, pytest.param(TIMES, marks=pytest.mark.deep)])
@pytest.mark.parametrize("seed", [1])
async def test_clients_that_leave_and_come_back_at_any_moment(
    tmp_path: Path, seed: int, times: int
) -> None:
    write(tmp_path, FILES)
    random = Random(seed)
    async with door(tmp_path, FILES) as d:  # with it the tests' own program that forks others
        await d.text("search", query="work3")
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    for _ in range(times):
        await _leaves(tmp_path, random)
    async with door(tmp_path, FILES) as d:
        assert "m3.py:1-2" in await d.text("search", query="work3")
    await until(lambda: {e.pid for e in psutil.Process().children(recursive=True)} <= before)


async def _leaves(root: Path, random: Random) -> None:
    """A client that says some of what it has to say, in the middle of a word or not, and leaves."""
    ours, theirs = socket.socketpair()
    server = GlossatorServer((str(root),), {}, {})
    reader, writer = await asyncio.open_connection(sock=ours)
    serving = asyncio.create_task(serve_streams(server, reader, writer))
    _, client = await asyncio.open_connection(sock=theirs)
    sent: list[dict[str, Any]] = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for number, (name, arguments) in enumerate(CALLS * 3, 2):
        params = {"name": name, "arguments": arguments}
        sent.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    lines = "".join(f"{json.dumps(each)}\n" for each in sent).encode()
    client.write(lines[: random.randrange(len(lines))])
    await asyncio.sleep(random.random() * 0.2)
    client.close()
    async with asyncio.timeout(SECONDS):
        await serving
    writer.close()
