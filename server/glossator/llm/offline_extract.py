"""The few lines of a place that share the most with the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import PurePosixPath

from glossator.core.terms import is_import

_LINES = 14
_AROUND = 2  # lines kept before the first and after the last line that holds a term
_DOCSTRINGS = ('"""', "'''", 'r"""')
_COMMENT = re.compile(r"//|/?\*|#(?!include|define|if|el|endif|pragma|\[)")
_LANGUAGES = {
    ".c": "c",
    ".cpp": "cpp",
    ".go": "go",
    ".java": "java",
    ".js": "js",
    ".md": "markdown",
    ".py": "python",
    ".rs": "rust",
    ".ts": "ts",
    ".tsx": "tsx",
}


@dataclass(frozen=True, slots=True)
class Extract:
    """Consecutive lines of a file; `first_line` is 1-based."""

    path: str
    first_line: int
    lines: tuple[str, ...]

    @property
    def last_line(self) -> int:
        """1-based and inclusive."""
        return self.first_line + len(self.lines) - 1

    def overlaps(self, other: Extract) -> bool:
        """Whether both show a line of the same file."""
        apart = self.last_line < other.first_line or other.last_line < self.first_line
        return self.path == other.path and not apart

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines)


def best_extract(stretches: Sequence[Extract], terms: tuple[str, ...]) -> Extract:
    """The window of at most 14 lines that holds the most of `terms`, without idle edges."""
    _, best = max((_best_of(stretch, terms) for stretch in stretches), key=itemgetter(0))
    return best


def shared(extract: Extract, terms: tuple[str, ...]) -> int:
    """How many of the terms its lines hold; a file can also be found by its path alone."""
    lines = [line.lower() for line in extract.lines if not is_import(line)]
    return sum(any(term in line for line in lines) for term in terms)


def is_comment(extract: Extract) -> bool:
    """Whether it is of code, and holds nothing but what is said about it."""
    said = _comment_lines(extract)
    return all(said[at] for at, line in enumerate(extract.lines) if line.strip())


def code_fence(extract: Extract) -> tuple[str, str]:
    """A Markdown fence longer than any inside the extract, with the language's name."""
    ticks = "```"
    while ticks in extract.text:
        ticks += "`"
    return ticks + _LANGUAGES.get(PurePosixPath(extract.path).suffix, ""), ticks


def _best_of(extract: Extract, terms: tuple[str, ...]) -> tuple[int, Extract]:
    """The best window of one stretch, and how many of the terms' occurrences it holds."""
    said = _comment_lines(extract)
    scores = [_score(line, terms) * (1 if said[at] else 2) for at, line in enumerate(extract.lines)]
    starts = range(max(1, len(scores) - _LINES + 1))
    start = max(starts, key=lambda at: (sum(scores[at : at + _LINES]), -at))
    end = min(start + _LINES, len(scores))
    score = sum(scores[start:end])
    if telling := [at for at in range(start, end) if scores[at]]:
        start, end = max(start, telling[0] - _AROUND), min(end, telling[-1] + _AROUND + 1)
    if start <= _AROUND:
        start = 0  # mostly where a definition begins
    while start < end - 1 and not extract.lines[start].strip():
        start += 1
    while end > start + 1 and not extract.lines[end - 1].strip():
        end -= 1
    return score, Extract(extract.path, extract.first_line + start, extract.lines[start:end])


def _score(line: str, terms: tuple[str, ...]) -> int:
    return 0 if is_import(line) else sum(term in line.lower() for term in terms)


def _comment_lines(extract: Extract) -> list[bool]:
    """Which lines are comments or docstrings, as far as that shows; none of a text in prose."""
    if PurePosixPath(extract.path).suffix not in _LANGUAGES.keys() - {".md"}:
        return [False] * len(extract.lines)
    said: list[bool] = []
    within, before = False, ":"
    for text in map(str.strip, extract.lines):
        begins = text.startswith(_DOCSTRINGS)
        ends = text.count('"""') % 2 or text.count("'''") % 2
        if text in _DOCSTRINGS and not within and not before.endswith(":"):
            said = [True] * len(said)  # the extract began within it
        elif ends and (within or begins):
            within = not within
        said.append(within or begins or text in _DOCSTRINGS or _COMMENT.match(text) is not None)
        before = text or before
    return said
