"""Whoever is killed at whatever moment, what is on disk stays whole; one at a time writes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.worker.client import WorkerPhase
from glossator.workspace.files import state_folder
from glossator.workspace.index.manifest import IndexFolder
from tests.lsp.support.chance import seeded
from tests.worker.conftest import MakeServing

FILES = 220
WORKER_ROUNDS = 10
SERVER_ROUNDS = 4


def assert_whole(root: Path) -> None:
    """What is published can be opened, all of it."""
    assert IndexFolder(state_folder.index_folder(str(root))).open().damage == ()


async def test_a_worker_killed_at_any_moment_does_no_harm(serving: MakeServing, tree: Path) -> None:
    chance = seeded()
    server = serving()
    await server.start()
    await server.manager.settle()
    for _ in range(WORKER_ROUNDS):
        building = asyncio.create_task(server.manager.rebuild())
        await asyncio.wait({building}, timeout=chance.uniform(0, 0.3))  # any moment will do
        if (process_id := server.worker.state.process_id) is not None:
            with suppress(ProcessLookupError):  # it had ended, and nobody has been told yet
                os.kill(process_id, signal.SIGKILL)
        with suppress(UsageError):  # it was killed, and the old index stays in use
            await building
        assert_whole(tree)
        server.assert_missing_nothing()
        await server.manager.build()
        assert server.index.statistics().documents == FILES
        server.assert_right()
    assert server.notices == []


class OtherServer:
    """A server in a process of its own."""

    def __init__(self, root: Path) -> None:
        arguments = [sys.executable, "-m", "tests.worker.serving", str(root)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)

    async def says(self, word: str) -> None:
        assert self.process.stdout is not None
        line = await asyncio.to_thread(self.process.stdout.readline)
        assert line == f"{word}\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
async def other(tree: Path) -> AsyncIterator[OtherServer]:
    """Another server of the tree that has built its index."""
    server = OtherServer(tree)
    await server.says("started")
    await server.says("built")
    yield server
    server.kill()


async def test_a_server_killed_at_any_moment_does_no_harm(serving: MakeServing, tree: Path) -> None:
    chance = seeded()
    for _ in range(SERVER_ROUNDS):
        killed = OtherServer(tree)
        await killed.says("started")
        await asyncio.sleep(chance.uniform(0, 0.8))  # any moment will do
        killed.kill()
        assert_whole(tree)
        server = serving()
        await server.start()
        await server.manager.build()
        assert server.index.statistics().documents == FILES
        server.assert_right()
        await server.manager.rebuild()  # the killed server's worker is gone, and its lock with it
        for name in os.listdir(state_folder.index_folder(str(tree)) / "segments"):
            assert name.endswith(".seg")
        if chance.random() < 0.7:  # or the next one finds all there
            for folder in state_folder.index_folder(str(tree)).glob("manifest.json"):
                folder.unlink()
        await server.close()


async def test_two_servers_take_turns_at_writing(
    serving: MakeServing, tree: Path, other: OtherServer
) -> None:
    server = serving()
    await server.start()
    await server.manager.settle()
    assert server.index.statistics().documents == FILES
    assert server.worker.state.phase is WorkerPhase.OFF  # it read what the other one wrote
    await server.manager.rebuild()  # the other one lives on, but writes no more
    assert server.index.statistics().documents == FILES
    server.assert_right()
    other.kill()
    await server.manager.rebuild()
    server.assert_right()


async def test_what_another_server_writes_is_noticed(
    serving: MakeServing, tree: Path, other: OtherServer
) -> None:
    server = serving()
    await server.start()
    await server.manager.settle()
    for path in (state_folder.index_folder(str(tree)) / "manifest.json",):
        path.unlink()  # as if the other server had thrown it away
    server.manager.look()
    await server.manager.settle()
    assert server.index.statistics().documents == FILES
    assert server.worker.state.phase is WorkerPhase.READY
    assert_whole(tree)
    server.assert_right()
