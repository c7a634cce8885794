"""The names of all symbols of a workspace, searched as an editor's symbol search does.

The worker process keeps the names of each file next to the file's stamp, a few bytes a name; a file
is read again when its stamp changed. Open documents and links, which have no stamp, are read each
time. The details of a match come from the outline of its file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain, islice
from time import monotonic
from typing import ClassVar

import re2

from glossator.core.file_kinds import CODE
from glossator.core.text import split_lines
from glossator.symbols.find import Definition, line_of
from glossator.symbols.sources import SLICE, Library, Outlines, outlines, read
from glossator.worker import Job, JobProgress, Slices

FileStamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode

_LONGEST_QUERY = 100  # characters


@dataclass(frozen=True, slots=True)
class ReadNames(Job[None]):
    """Read the names of the changed files; the first time, of all, which may take minutes.

    `listed` has the stamps of the files by path; a later listing has a higher `number`. Not urgent,
    so that building the index goes on meanwhile.
    """

    library: Library
    number: int
    listed: Mapping[str, FileStamp]

    def run(self) -> Slices[None]:
        """Read one file after the other."""
        with outlines(self.library) as kept:
            yield from _TABLE.update(self.number, self.listed, self.library, kept)


@dataclass(frozen=True, slots=True)
class MatchNames(Job[tuple[Definition, ...] | None]):
    """The symbols of code whose names hold the letters of `query` in order, best first.

    None if the worker has not read the names of the listing `number`, or a later one. `unstamped`
    are further paths, of open documents and links.
    """

    urgent: ClassVar[bool] = True

    library: Library
    number: int
    unstamped: tuple[str, ...]
    query: str
    limit: int

    def run(self) -> Slices[tuple[Definition, ...] | None]:
        """Match the known names, and those of unstamped files."""
        return (yield from self.known()) if _TABLE.number >= self.number else None

    def known(self) -> Slices[tuple[Definition, ...]]:
        """Match as `run`, the names read so far."""
        with outlines(self.library) as kept:
            names = {path: names for path, (_, names) in _TABLE.files.items()}
            slice_end = monotonic() + SLICE
            for path in self.unstamped:
                names[path] = _names(self.library, path, kept)
                if monotonic() > slice_end:
                    yield None
                    slice_end = monotonic() + SLICE
            best = yield from _best(names, self.query, self.limit)
            found: dict[tuple[str, str], list[Definition]] = {match: [] for match in best}
            wanted: dict[str, set[str]] = {}
            for name, path in best:
                wanted.setdefault(path, set()).add(name)
            for path, named in wanted.items():
                for definition in _definitions(self.library, path, named, kept):
                    found[definition.symbol.name, path].append(definition)
                yield None
            return tuple(islice(chain.from_iterable(found.values()), self.limit))


@dataclass(frozen=True, slots=True)
class MatchKnown(Job[tuple[tuple[Definition, ...], bool]]):
    """As `match`, of the names read so far; and whether these are all."""

    urgent: ClassVar[bool] = True

    match: MatchNames

    def run(self) -> Slices[tuple[tuple[Definition, ...], bool]]:
        """Match the known names."""
        whole = _TABLE.number >= self.match.number
        return (yield from self.match.known()), whole


@dataclass(slots=True)
class _Table:
    """The distinct names of each file, an LF after each, as it was with a stamp."""

    number: int = -1  # of the newest listing that was read
    files: dict[str, tuple[FileStamp, bytes]] = field(default_factory=dict)

    def update(
        self, number: int, listed: Mapping[str, FileStamp], library: Library, kept: Outlines
    ) -> Slices[None]:
        """Update the table to a listing; the part that was read stays when this is cancelled."""
        if number <= self.number:
            return
        slice_end = monotonic() + SLICE
        for path in self.files.keys() - listed.keys():
            del self.files[path]
        for done, (path, stamp) in enumerate(listed.items()):
            if path not in self.files or self.files[path][0] != stamp:
                self.files[path] = stamp, _names(library, path, kept)
            if monotonic() > slice_end:
                yield JobProgress(done, len(listed))
                slice_end = monotonic() + SLICE
        self.number = max(number, self.number)


_TABLE = _Table()  # a worker process serves one workspace


def _names(library: Library, path: str, kept: Outlines) -> bytes:
    text = read(library, path)
    if text is None or text.language not in CODE:
        return b""
    names = dict.fromkeys(symbol.name for symbol in kept.of(text))
    return "".join(f"{name}\n" for name in names).encode("utf-8", "replace")


def _definitions(
    library: Library, path: str, names: Container[str], kept: Outlines
) -> list[Definition]:
    text = read(library, path)
    if text is None or text.language is None:
        return []
    lines = split_lines(text.text)
    return [
        Definition(line_of(text, lines, symbol.name_line), symbol, text.language)
        for symbol in kept.of(text)
        if symbol.name in names
    ]


def _best(names: Mapping[str, bytes], query: str, limit: int) -> Slices[list[tuple[str, str]]]:
    """The `limit` best names with the paths they are defined in."""
    wanted = "".join(query.split())[:_LONGEST_QUERY]
    pattern = re2.compile(_in_order(wanted).encode("utf-8", "replace"), _options())
    matches: list[tuple[tuple[int, int, str, str], str, str]] = []
    slice_end = monotonic() + SLICE
    for path, lines in names.items():
        spans = ((match.start(), match.end()) for match in pattern.finditer(lines))
        found = (lines[start:end].decode("utf-8", "replace") for start, end in spans)
        matches += [(_rank(name, wanted, path), name, path) for name in found if name]
        if monotonic() > slice_end:
            matches = nsmallest(limit, matches)
            yield None
            slice_end = monotonic() + SLICE
    return [(name, path) for _, name, path in nsmallest(limit, matches)]


def _in_order(letters: str) -> str:
    """A pattern for the lines that hold these letters in their order."""
    return "(?m)^.*" + ".*?".join(re.escape(letter) for letter in letters) + ".*$"


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def _rank(name: str, wanted: str, path: str) -> tuple[int, int, str, str]:
    """Equal names first, then those that begin with the query, then those that contain it."""
    plain, looked_for = name.casefold(), wanted.casefold()
    if name == wanted:
        kind = 0
    elif plain == looked_for:
        kind = 1
    elif plain.startswith(looked_for):
        kind = 2
    else:
        kind = 3 if looked_for in plain else 4
    return kind, len(name), name, path
