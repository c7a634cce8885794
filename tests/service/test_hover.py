"""Hover: facts of the file's own outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.service.hover import HoverRequest, hover
from glossator.workspace.change import Opened
from tests.stage import stage

TEXT = '''\
import os


class Fish:
    def swim(self):
        """Swims."""


Fish().swim()
'''


@pytest.mark.parametrize(
    ("line", "character", "signature", "word"),
    [
        (8, 1, "class Fish", (0, 4)),
        (8, 4, "class Fish", (0, 4)),
        (8, 8, "def swim(self)", (7, 11)),
        (4, 9, "def swim(self)", (8, 12)),
        (0, 8, None, None),  # imported, not defined here
        (1, 0, None, None),
        (8, 99, None, None),  # an editor that is ahead of us, or behind
        (9999, 0, None, None),
    ],
)
async def test_hover(
    tmp_path: Path, line: int, character: int, signature: str | None, word: tuple[int, int] | None
) -> None:
    async with stage(tmp_path, {}, ()) as s:
        uri = to_uri(str(tmp_path / "fish.py"))
        s.app.host.apply(Opened(uri, 1, TEXT))
        answer = await hover(s.app, HoverRequest(uri, Position(line, character)))
        if signature is None or word is None:
            assert answer is None
        else:
            assert answer is not None
            assert signature in answer.markdown
            assert (answer.start, answer.end) == ((line, word[0]), (line, word[1]))
