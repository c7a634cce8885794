"""Fixtures: workspaces whose chunks are indexed, in a state folder of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.retrieval.searching import Kept

MakeKept = Callable[..., Awaitable[Kept]]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with a few files."""
    root = (tmp_path / "ws").resolve()
    (root / "src").mkdir(parents=True)
    (root / "src" / "lines.py").write_text("def split_lines(text):\n    return text.split()\n")
    (root / "src" / "cache.py").write_text("class ReadCache:\n    def evict(self): ...\n")
    (root / "notes.md").write_text("# Notes\n\nLines are split, entries evicted.\n")
    return root


@pytest.fixture
async def kept(state: Path) -> AsyncIterator[MakeKept]:
    """Starts a server's retrieval over roots."""
    made: list[Kept] = []

    async def make(*roots: Path, settle: bool = True, **settings: Any) -> Kept:
        made.append(Kept(*map(str, roots), **settings))
        await made[-1].start(settle=settle)
        return made[-1]

    yield make
    for each in made:
        await each.close()
