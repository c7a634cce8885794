"""Statements of a text, nested: where an extract may begin and end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement or definition with the comment right above it (lines 1-based, inclusive).

    `head_line` is the last line before the body, or of a docstring that begins the body. `inner`
    are the statements of the body, none for one that must stay whole.
    """

    first_line: int
    last_line: int
    head_line: int
    inner: tuple[Statement, ...] = ()


StatementsOf = Callable[[str, int, int], Awaitable[tuple[Statement, ...]]]
"""The statements of the file at a path between two lines (1-based, inclusive).

None where nothing is known of its syntax.
"""


async def no_statements(_path: str, _first_line: int, _last_line: int) -> tuple[Statement, ...]:
    """Where nothing parses."""
    return ()
