"""What a question costs in things that can be counted: threads woken, looks at the disk, writes.

None may grow unnoticed: what each question or turn begins with is felt by everybody. The looks at
the disk are more where the folders of the tests lie deep, and looks share a thread or two.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from glossator.llm.anthropic_model import AnthropicModel
from glossator.store.log import Log
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "def greet():\n    return 'hello'\n", "lib/other.py": "x = 1\n"}
SEARCH = ToolUse("Grep", {"pattern": "greet", "path": "app.py", "output_mode": "content"})
READS = (ToolUse("Read", {"path": "app.py"}), ToolUse("Read", {"path": "lib/other.py"}))
THREADS, WRITES, LOOKS = "threads woken", "writes to the log", "looks at the disk"

_asking: ContextVar[bool] = ContextVar("asking", default=False)


class Counted:
    """What a question causes, also in threads and tasks; nothing of what runs in the background."""

    def __init__(self) -> None:
        self.now: Counter[str] = Counter()
        self.before: list[Counter[str]] = []  # each request left, since the one before it

    def begin(self) -> None:
        """Count from here."""
        _asking.set(True)
        self.now.clear()
        self.before.clear()


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    counted = Counted()

    def count(owner: Any, name: str, what: str) -> None:
        real = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted.now[what] += _asking.get()
            return real(*given, **named)

        patch.setattr(owner, name, counting)

    with monkeypatch.context() as patch:
        count(asyncio.BaseEventLoop, "run_in_executor", THREADS)
        count(Log, "append", WRITES)
        for name in ("stat", "lstat", "scandir", "listdir", "open"):
            count(os, name, LOOKS)
        send = AnthropicModel._send

        async def sending(*given: Any, **named: Any) -> Any:
            counted.before.append(counted.now.copy())
            counted.now.clear()
            return await send(*given, **named)

        patch.setattr(AnthropicModel, "_send", sending)
        yield counted


def exceeding(found: Counter[str], **most: int) -> dict[str, int]:
    """The counts that are higher than they may be."""
    limits = {THREADS: most["threads"], WRITES: most["writes"], LOOKS: most["looks"]}
    return {what: found[what] for what, limit in limits.items() if found[what] > limit}


async def test_before_the_first_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("Yes."))] * 3) as s:
        await s.app.ready()
        await s.ask("Is it warm?")
        with counting(monkeypatch) as counted:
            counted.begin()
            answer = await s.ask("Is it so in a new session?")
            (new,) = counted.before
            counted.begin()
            await s.ask("And now?", session_id=answer.session_id)
            (same,) = counted.before
    assert exceeding(new, threads=7, writes=6, looks=160) == {}
    assert exceeding(same, threads=7, writes=4, looks=60) == {}


async def test_before_each_further_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = [Turn(SEARCH), Turn(*READS), Turn(SEARCH), Turn(*READS), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script) as s:
        await s.app.ready()
        with counting(monkeypatch) as counted:
            counted.begin()
            await s.ask("What is greet?")
            _, _, read, searched, again = counted.before
    for each in (read, again):
        assert exceeding(each, threads=5, writes=8, looks=40) == {}
    assert exceeding(searched, threads=3, writes=6, looks=25) == {}
