"""Checked citations as people read them."""

from __future__ import annotations

from collections.abc import Iterable

from glossator.cli.wire import Citation
from glossator.core.citations import place as lines_of


def place(path: str, first: int | None, last: int | None) -> str:
    """`path`, `path:10` or `path:10-20`; lines are 1-based and inclusive."""
    return path if first is None else lines_of(path, first, last or first)


def distinct(citations: Iterable[Citation]) -> list[Citation]:
    """Each checked place once, in the order of the answer."""
    found: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        key = (citation["target"], citation["firstLine"], citation["lastLine"], citation["status"])
        found.setdefault(key, citation)
    return list(found.values())
