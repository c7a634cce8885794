"""A real Redis server on loopback, in a folder of the test's, ended with it."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from glossator.store import RedisStore
from tests.patience import SECONDS

LARGEST = 4_000  # bytes of a value that our stores take


@dataclass
class RedisServer:
    """Started by `start`, on one port for its whole life."""

    folder: Path
    port: int
    options: tuple[str, ...] = ()
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """With what it kept, if it kept anything; returns when it accepts connections."""
        place = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder))
        self._process = subprocess.Popen(
            ["redis-server", *place, "--save", "", *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if "Ready to accept connections" in line:
                return
        raise AssertionError("".join(said))

    def kill(self) -> None:
        """At once, as when a machine loses its power."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=SECONDS)
            self._process = None

    def command(self, *words: str | bytes | int, password: str | None = None) -> object:
        """What it answers to a command."""
        import redis  # noqa: PLC0415 - for the tests that need it

        with redis.Redis("127.0.0.1", port=self.port, password=password, protocol=2) as client:
            answer: object = client.execute_command(*words)
            return answer

    def store(self, url: str = "", password: str = "") -> RedisStore:
        """A client of it, such as Glossator has."""
        environment = {"GLOSSATOR_STORE_PASSWORD": password} if password else {}
        return RedisStore(url or self.url, environment, LARGEST, "contexts:1")


@contextmanager
def redis_server(folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server that is waited for patiently: the machine may have other work."""
    folder.mkdir(exist_ok=True)
    server = RedisServer(folder, _free_port(), options)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_READ_SECONDS", "_WRITE_SECONDS", "_CONNECT_SECONDS"):
            patch.setattr(f"glossator.store.shared.{name}", SECONDS)
        try:
            yield server
        finally:
            server.kill()


@asynccontextmanager
async def black_hole() -> AsyncIterator[str]:
    """The address of a server that accepts connections and never answers."""
    writers = []

    async def accept(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        for writer in writers:
            writer.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
