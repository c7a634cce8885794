"""Labelled sets: questions with the places that answer them, and the documents to search.

A set has collections, each searched by itself. Two formats are read into these types: chunks
(`chunk_sets.py`), where documents come cut and golden chunks are compared by their content, and
files and lines (`line_sets.py`), where a target is a file, or lines of it, of a repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

SYMBOL = "symbol"  # the category of questions that are the name of a definition

LineRange: TypeAlias = tuple[int, int]  # first and last line, 1-based, inclusive


@dataclass(frozen=True, slots=True)
class SourceText:
    """A document to be indexed; `path` is relative, `chunks` are given if the set cuts it."""

    path: str
    text: str
    chunks: tuple[LineRange, ...] | None = None


@dataclass(frozen=True, slots=True)
class GoldenChunk:
    """A chunk that answers, wherever its very content stands: by path, first and last line."""

    places: frozenset[tuple[str, int, int]]

    def found_in(self, path: str, first_line: int, last_line: int) -> bool:
        """Whether these lines are the chunk."""
        return (path, first_line, last_line) in self.places


@dataclass(frozen=True, slots=True)
class GoldenLines:
    """A file that answers, or lines of it (1-based, inclusive).

    Its `path` and that of a result name the same file if one ends with the other, at a `/`: a set
    may name files from the top of a repository of which only a part is searched. The rule is that
    of the benchmark of MinishLab's semble.
    """

    path: str
    first_line: int | None = None
    last_line: int | None = None

    def found_in(self, path: str, first_line: int, last_line: int) -> bool:
        """Whether some of these lines belong to it."""
        if not same_file(path, self.path):
            return False
        if self.first_line is None or self.last_line is None:
            return True
        return first_line <= self.last_line and self.first_line <= last_line


def same_file(path: str, other: str) -> bool:
    """Whether one of the paths ends with the other one."""
    return path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")


Target: TypeAlias = GoldenChunk | GoldenLines


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what answers it: `targets` first of all, `secondary` as well.

    `repository` is where the answer is; `line` is the question's line in its file, from 1.
    """

    text: str
    repository: str
    category: str
    targets: tuple[Target, ...]
    secondary: tuple[Target, ...] = ()
    line: int = 0

    @property
    def all_targets(self) -> tuple[Target, ...]:
        """Both kinds."""
        return self.targets + self.secondary


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents that are searched together, and the questions about them."""

    name: str
    documents: tuple[SourceText, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set by the name of its folder; collections are read one at a time, as they may be large."""

    name: str
    questions: int
    collections: Iterator[Collection]
