"""Citations in an answer: `[cite: doc, PATH, L1-L2]` after the sentence resting on the lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_CITATION = re.compile(
    r"""\[cite:\s* doc \s*,\s*
    (?P<path>(?=[^\s,])
        (?: [^][\n] | \[ (?: [^][\n] | \[[^][\n]*\] )* \] )+?  # app/[id]/[[...rest]]/page.tsx
    )
    \s*,\s* L?(?P<first>[0-9]{1,9})
    (?: \s*[-\u2013]\s* L?(?P<last>[0-9]{1,9}) )?
    \s*\]""",
    re.VERBOSE,
)

_FENCED = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ *(?P=fence)[`~]* *$|\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation as written: where it stands in the answer, and the lines it names (1-based)."""

    start: int
    end: int
    path: str
    first_line: int
    last_line: int

    @property
    def place(self) -> str:
        """`path:10` or `path:10-20`."""
        return place(self.path, self.first_line, self.last_line)


def place(path: str, first_line: int, last_line: int) -> str:
    """Lines of a file in the usual short form."""
    lines = f"{first_line}" if first_line == last_line else f"{first_line}-{last_line}"
    return f"{path}:{lines}"


def link(name: str, uri: str) -> str:
    """A Markdown link that shows a name as it is, be it `__init__.py` or `[id].tsx`."""
    ticks = "``" if "`" in name else "`"
    blank = " " if name.startswith("`") or name.endswith("`") else ""
    target = uri.replace("(", "%28").replace(")", "%29")
    return f"[{ticks}{blank}{name}{blank}{ticks}]({target})"


def fences(text: str) -> list[tuple[int, int]]:
    """Where the fenced code of a Markdown text begins and ends."""
    return [match.span() for match in _FENCED.finditer(text)]


def parse_citations(answer: str) -> tuple[CitationMark, ...]:
    """The citations of an answer, in order; what quoted code holds is not a citation."""
    fenced = fences(answer)
    return tuple(
        CitationMark(
            match.start(),
            match.end(),
            match["path"],
            int(match["first"]),
            int(match["last"] or match["first"]),
        )
        for match in _CITATION.finditer(answer)
        if not any(start <= match.start() < end for start, end in fenced)
    )


def rewrite_citations(answer: str, show: Callable[[CitationMark], str]) -> str:
    """The answer with `show(mark)` in the place of each citation."""
    parts: list[str] = []
    at = 0
    for mark in parse_citations(answer):
        parts += answer[at : mark.start], show(mark)
        at = mark.end
    return "".join((*parts, answer[at:]))
