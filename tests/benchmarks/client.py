"""A minimal LSP client for measuring: requests may overlap, each answer is timed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

SERVER = (sys.executable, "-m", "glossator.lsp")


def usual_environment() -> dict[str, str]:
    """As users have it: byte code is kept. Some machines for tests turn that off."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class BenchClient:
    """One server process; `started` is when it was spawned (perf_counter seconds)."""

    def __init__(self, process: asyncio.subprocess.Process, started: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.started = started
        self.pid = process.pid
        self._stdin, self._stdout = process.stdin, process.stdout
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def request(self, method: str, params: Any) -> Any:
        number = len(self._waiting) + 1
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return await self._waiting[number]

    async def timed(self, method: str, params: Any) -> float:
        """Milliseconds until the answer."""
        started = time.perf_counter()
        await self.request(method, params)
        return (time.perf_counter() - started) * 1000

    async def command(self, command: str, **argument: Any) -> Any:
        params = {"command": f"glossator.{command}", "arguments": [argument]}
        return await self.request("workspace/executeCommand", params)

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    async def initialize(self, root: Path) -> None:
        folders = [{"uri": root.as_uri(), "name": root.name}]
        params: dict[str, Any] = {
            "processId": None,
            "capabilities": {},
            "workspaceFolders": folders,
        }
        await self.request("initialize", params)

    def close(self) -> None:
        self._reader.cancel()

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        while True:
            header = await self._stdout.readuntil(b"\r\n\r\n")
            length = int(header.split(b":")[1].split(b"\r")[0])
            message = json.loads(await self._stdout.readexactly(length))
            if "method" not in message and message["id"] in self._waiting:
                self._waiting[message["id"]].set_result(message.get("result"))


@asynccontextmanager
async def server(
    environment: Mapping[str, str], command: Sequence[str] = SERVER
) -> AsyncIterator[BenchClient]:
    """A server in a fresh process; killed at the end."""
    started = time.perf_counter()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env=dict(environment)
    )
    client = BenchClient(process, started)
    try:
        yield client
    finally:
        client.close()
        process.kill()
        await process.wait()
