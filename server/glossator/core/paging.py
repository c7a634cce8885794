"""A long list in pages, as the protocols of agents have it: a cursor is where a page begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_DIGITS = 9  # of a cursor; any other is none


def page(found: Sequence[T], cursor: str | None, size: int) -> tuple[list[T], str | None]:
    """The items of a page, and the cursor of the next one; a cursor that is none begins again."""
    known = cursor is not None and cursor.isdecimal() and len(cursor) <= _DIGITS
    start = int(cursor) if cursor and known else 0
    end = start + size
    return list(found[start:end]), str(end) if len(found) > end else None
