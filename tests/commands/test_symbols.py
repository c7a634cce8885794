"""The symbol whose definition the cursor is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.symbols import symbol_named_at
from glossator.core.text import Position
from glossator.workspace.documents.overlays import Opened
from tests.stage import stage

TEXT = "class Fish:\n    def swim(self):\n        swim = 1\ndef f(x): ...\n"


@pytest.mark.parametrize(
    ("line", "character", "name"),
    [
        (0, 6, "Fish"),
        (0, 10, "Fish"),
        (0, 2, None),
        (1, 8, "swim"),
        (1, 13, None),
        (2, 9, None),
        (3, 0, None),  # the f of def is not the name
        (3, 2, None),
        (3, 4, "f"),
        (99, 0, None),
    ],
)
async def test_symbol_named_at(tmp_path: Path, line: int, character: int, name: str | None) -> None:
    async with stage(tmp_path, {}, ()) as s:
        s.app.host.apply(Opened("untitled:fish.py", 1, TEXT))
        found = await symbol_named_at(s.app, "untitled:fish.py", Position(line, character))
        assert (found and found.name) == name
        assert await symbol_named_at(s.app, "untitled:other.py", Position(0, 0)) is None
