"""A hundred questions by chance, while they are cancelled and the server dies or is ended."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest

from glossator.core.code import CodeAnswer, CodeKind
from glossator.language_servers import server as server_module
from tests.language_servers.asked import SECONDS, Asked, asked, scripted
from tests.sandboxed import SANDBOXED

STEPS = 100
FILES = {"a.py": "def name(): pass\n", "b.py": "import a\n"}

pytestmark = SANDBOXED


class Disorder:
    """Steps by chance; `told` holds what came of those that wait."""

    def __init__(self, ws: Asked, chance: random.Random) -> None:
        self.ws = ws
        self.chance = chance
        self.told: list[CodeAnswer | str] = []

    async def step(self) -> None:
        often = (self.ask,) * 5
        steps = *often, self.hasten, self.cancel, self.cancel, self.look, self.die, self.end
        await self.chance.choice(steps)()

    async def ask(self, kind: CodeKind = CodeKind.REFERENCES) -> None:
        self.told.append(await self.ws.ask(kind, self.chance.choice(("a.py", "b.py")), ""))

    async def hasten(self) -> None:
        seconds = self.chance.uniform(0, 0.1)
        self.told.append(await self.ws.ask(CodeKind.REFERENCES, "a.py", "def ", seconds=seconds))

    async def cancel(self) -> None:
        question = asyncio.create_task(self.ws.ask(CodeKind.REFERENCES, "a.py", "def "))
        await asyncio.sleep(self.chance.uniform(0, 0.1))
        question.cancel()
        with suppress(asyncio.CancelledError):
            await question

    async def look(self) -> None:
        await self.ws.found("a.py", seconds=0.2)

    async def die(self) -> None:
        await self.ask(CodeKind.IMPLEMENTATIONS)

    async def end(self) -> None:
        for server in self.ws.servers._servers.values():
            server._end()


@pytest.mark.parametrize("seed", [44])
async def test_disorder_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(server_module, "_ENDS_SECONDS", 0.0)  # it is always started again
    root = tmp_path / "ws"
    before = asyncio.all_tasks()
    async with asyncio.timeout(SECONDS), asked(root, FILES, scripted(root, "chaos")) as ws:
        disorder = Disorder(ws, random.Random(seed))
        left = STEPS
        while left > 0:
            together = min(left, disorder.chance.randint(1, 16))
            await asyncio.gather(*(disorder.step() for _ in range(together)))
            left -= together
        assert any(isinstance(each, CodeAnswer) for each in disorder.told)
        assert all(disorder.told), "a question without an answer and without a reason"
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).places
        assert processes_of(root)
    assert processes_of(root) == []
    assert asyncio.all_tasks() - before == set()


def processes_of(root: Path) -> list[str]:
    """The command lines of the processes that run the scripted server of a workspace."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            found += [line] if f"{root}/server.txt" in line else []
    return found
