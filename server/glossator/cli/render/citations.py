"""Citations as people read them: `path:10-20` in place of `[cite: doc, path, L10-L20]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from glossator.cli.wire import Citation
from glossator.core.citations import parse_citations


def place(path: str, first: int | None, last: int | None) -> str:
    """`path`, `path:10` or `path:10-20`; lines are 1-based and inclusive."""
    if first is None:
        return path
    return f"{path}:{first}" if last in {None, first} else f"{path}:{first}-{last}"


def rewrite(text: str, show: Callable[[str, str], str]) -> str:
    """`text` with each citation replaced by `show(path, place)`."""
    shown: list[str] = []
    at = 0
    for mark in parse_citations(text):
        shown += (
            text[at : mark.start],
            show(mark.path, place(mark.path, mark.first_line, mark.last_line)),
        )
        at = mark.end
    return "".join((*shown, text[at:]))


def distinct(citations: Iterable[Citation]) -> list[Citation]:
    """Each checked place once, in the order of the answer."""
    found: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        key = (citation["target"], citation["firstLine"], citation["lastLine"], citation["status"])
        found.setdefault(key, citation)
    return list(found.values())
