"""Citations as people read them: `path:10-20` in place of `[cite: doc, path, L10-L20]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from glossator.cli.wire import Citation

# the same citations as `glossator.grounding.citations` finds
_CITATION = re.compile(
    r"""\[cite:\s* doc \s*,\s*
    (?P<path>
        (?: [^][\n] | \[ (?: [^][\n] | \[[^][\n]*\] )* \] )+?
    )
    \s*,\s* L?(?P<first>[0-9]{1,9})
    (?: \s*[-\u2013]\s* L?(?P<last>[0-9]{1,9}) )?
    \s*\]""",
    re.VERBOSE,
)


def place(path: str, first: int | None, last: int | None) -> str:
    """`path`, `path:10` or `path:10-20`; lines are 1-based and inclusive."""
    if first is None:
        return path
    return f"{path}:{first}" if last in {None, first} else f"{path}:{first}-{last}"


def rewrite(text: str, show: Callable[[str, str], str]) -> str:
    """`text` with each citation replaced by `show(path, place)`."""

    def replacement(match: re.Match[str]) -> str:
        path, first = match["path"], int(match["first"])
        return show(path, place(path, first, int(match["last"] or first)))

    return _CITATION.sub(replacement, text)


def distinct(citations: Iterable[Citation]) -> list[Citation]:
    """Each checked place once, in the order of the answer."""
    found: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        key = (citation["target"], citation["firstLine"], citation["lastLine"], citation["status"])
        found.setdefault(key, citation)
    return list(found.values())
