"""Citations in an answer: `[cite: doc, PATH, L1-L2]` after the sentence resting on the lines."""

from __future__ import annotations

import re
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


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation as written: where it stands in the answer, and the lines it names (1-based)."""

    start: int
    end: int
    path: str
    first_line: int
    last_line: int


def parse_citations(answer: str) -> tuple[CitationMark, ...]:
    """The citations of an answer, in order."""
    return tuple(
        CitationMark(
            match.start(),
            match.end(),
            match["path"],
            int(match["first"]),
            int(match["last"] or match["first"]),
        )
        for match in _CITATION.finditer(answer)
    )
