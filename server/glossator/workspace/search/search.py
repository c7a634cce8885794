"""The search engine: candidates from the index, searched in the requested order.

`finder.py` finds the files that hold a match. Lines are only ever reported of a text that this
search has just read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, compress
from operator import attrgetter
from typing import NamedTuple

from glossator.core.document import Missing, MissingReason
from glossator.core.encoding import is_guessed
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.disk import Parts
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.long import Window
from glossator.workspace.index.required import analyse
from glossator.workspace.index.searchable import with_plain_line_ends
from glossator.workspace.index.trigrams import Candidates, Ranges
from glossator.workspace.search.finder import SHOWN, Finder, MatchCollector
from glossator.workspace.search.ripgrep import LARGE, Request, folds_alike
from glossator.workspace.search.scan import (
    Lines,
    as_searched,
    compile_pattern,
    count_matching_lines,
    holds_match,
    matching_lines,
)
from glossator.workspace.search.source import (
    FileMatch,
    Reader,
    SearchedText,
    candidates,
    plain_text,
    read_text,
    unsearchable,
)

_IN_PARTS = 1 << 16  # bytes; of a shorter file, looking up passages takes longer than reading it
_VERY_LONG = 1 << 18  # bytes; reading the file mostly takes several times as long as its passages
_MAX_SORTED = 5_000  # candidates; more are taken from the sorted listing

_path = attrgetter("path")


class _Shown(NamedTuple):
    text: SearchedText
    lines: Lines
    numbers: Iterator[int]


class TextSearch:
    """A search of one snapshot; for one thread. Raises `UsageError` for a bad pattern.

    When `cancelled` becomes true, every iteration ends within 50 ms, as if nothing followed.
    `alone` is the only file to search, if there is only one; it needs no index. `had` gives the
    share, 0 to 1, of the wanted results that the caller has. `unsearched` collects the candidates
    that could not be read, `guessed` the encodings of those that are no Unicode.
    """

    def __init__(
        self,
        snapshot: WorkspaceSnapshot,
        request: Request,
        cancelled: Callable[[], bool] = lambda: False,
        had: Callable[[], float] = lambda: 0.0,
        alone: FileEntry | None = None,
    ) -> None:
        pattern, flags = request.pattern, (request.ignore_case, request.multiline)
        self._pattern = compile_pattern(pattern, ignore_case=flags[0], multiline=flags[1])
        self._snapshot = snapshot
        self._request = request
        self._cancelled = cancelled
        portable = False  # one file alone is not worth another program
        if alone is None or alone.size > LARGE:
            analysis = analyse(pattern, ignore_case=flags[0], multiline=flags[1])
            portable = analysis.portable and folds_alike(pattern, ignore_case=flags[0])
            self._candidates = candidates(snapshot, analysis.query)
        else:
            self._candidates = Candidates((), (alone,))
        self._ranges: dict[str, Ranges | None] = {}  # of long ones, as they are asked for
        self._reader = Reader(
            snapshot.cache.max_file_bytes,
            {entry.path for entry in self._candidates.others},
            self._passages,
            self._pattern,
            cancelled,
        )
        self._finder = Finder(
            snapshot,
            request,
            self._candidates,
            self._reader,
            portable=portable,
            had=had,
            cancelled=cancelled,
        )
        self.unsearched: dict[FileEntry, MissingReason] = {}
        self.guessed: dict[str, str] = {}  # by relative path

    @property
    def may_miss(self) -> bool:
        """Whether the pattern is searched as ASCII has it in all texts."""
        return self._pattern.may_miss

    def column(self, line: str) -> int:
        """The character of a line, from 0, at which a match begins; 0 if none lies within it."""
        encoded = as_searched(line)
        return len(encoded[: self._pattern.place(encoded)].decode("utf-8", "ignore"))

    def expected(self, found: int) -> float:
        """An estimate of all results, if `found` is the number so far; at least that number."""
        return self._finder.expected(found)

    def by_path(self) -> Iterator[FileEntry]:
        """The files that may match, by relative path."""
        found = self._candidates
        if len(found) > _MAX_SORTED:
            return self._among(self._snapshot.files())
        alone = (
            len(self._snapshot.roots) == 1
        )  # then absolute and relative paths have the same order
        key = attrgetter("path" if alone else "relative")
        return iter(sorted((*found.plain, *found.others), key=key))

    def newest_first(self) -> Iterator[FileEntry]:
        """The files that may match, those changed last first, and equal ones by path."""
        if len(self._candidates) > _MAX_SORTED:
            return self._among(self._snapshot.newest_first)
        return iter(sorted(self.by_path(), key=attrgetter("mtime_ns"), reverse=True))

    def _among(self, files: Sequence[FileEntry]) -> Iterator[FileEntry]:
        """The candidates in the order of `files`, lazily: callers mostly want few of so many."""
        binary = set(map(_path, unsearchable(self._snapshot)))
        if len(self._candidates) + len(binary) == len(files):  # all others, so none is looked up
            return (entry for entry in files if entry.path not in binary)
        wanted = set(map(_path, chain(self._candidates.plain, self._candidates.others)))
        return compress(files, map(wanted.__contains__, map(_path, files)))

    def files(self, selected: Iterator[FileEntry]) -> Iterator[FileEntry]:
        """The `selected` files that hold a match."""
        for entry, _ in self._finder.found(
            selected, MatchCollector(self._holds_match, lambda *_: True)
        ):
            yield entry

    def counts(self, selected: Iterator[FileEntry]) -> Iterator[tuple[FileEntry, int]]:
        """The `selected` files that hold matches, with the number of matching lines."""
        if self._request.multiline:  # then ripgrep counts matches, not lines
            collector = MatchCollector(
                self._count, lambda entry, _, held: self._count(entry, held and held.parts)
            )
        else:
            collector = MatchCollector(self._count, lambda _, lines, __: lines, counting=True)
        return self._finder.found(selected, collector)

    def lines(
        self, selected: Iterator[FileEntry]
    ) -> Iterator[tuple[FileEntry, SearchedText, Lines, Iterator[int]]]:
        """The `selected` files that hold matches, with their matching lines, 1-based, ascending."""

        def from_count(entry: FileEntry, _: int, held: FileMatch | None) -> _Shown | None:
            return self._shown(entry, None if self._passages(entry) else held)

        collector = MatchCollector(self._look, from_count, showing=True)
        for entry, (text, lines, numbers) in self._finder.found(selected, collector):
            yield entry, text, lines, numbers

    def windows(self, entry: FileEntry) -> Iterator[tuple[int, Lines, Iterator[int]]]:
        """A file too large to be read whole, a few MB of it at a time.

        Gives the number of the first line, the lines, and the matching ones, both counted from 1.
        """
        long, place = self._snapshot.long_files, (self._snapshot.folders, entry.path)
        before: Window | None = None
        while (window := long.window(*place, before, self._cancelled)) is not None:
            if isinstance(window, Missing):
                self.unsearched[entry] = window.reason
                return
            before = window
            if is_guessed(window.encoding):
                self.guessed[entry.relative] = window.encoding
            text = as_searched(window.text)
            lines = Lines(text)
            yield window.first, lines, self._lines(text, lines)

    def _holds_match(self, entry: FileEntry, parts: Parts | None = None) -> bool:
        pattern, cancelled = self._pattern, self._cancelled
        return any(holds_match(text, pattern, cancelled) for text in self._texts(entry, parts))

    def _count(self, entry: FileEntry, parts: Parts | None = None) -> int:
        pattern, cancelled = self._pattern, self._cancelled
        return sum(
            count_matching_lines(text, pattern, cancelled) for text in self._texts(entry, parts)
        )

    def _look(self, entry: FileEntry) -> _Shown | None:
        """Like `_shown`; the passages of a very long file are searched first."""
        if entry.size > _VERY_LONG and self._passages(entry):
            parts = self._reader.parts(entry)
            if parts is not None and not self._holds_match(entry, parts):
                return None
        return self._shown(entry)

    def _shown(self, entry: FileEntry, held: FileMatch | None = None) -> _Shown | None:
        """The whole text with its matching lines, if there are any."""
        read = held and held.parts
        text = plain_text(entry, read) if read else self._read(entry)
        if text is None:
            return None
        lines = Lines(text.content)
        if held and not self._pattern.multiline:
            return _Shown(text, lines, self._begun(text.content, lines, held.places))
        numbers = self._lines(text.content, lines)
        first = next(numbers, None)
        return None if first is None else _Shown(text, lines, chain((first,), numbers))

    def _passages(self, entry: FileEntry) -> Ranges | None:
        """The ranges of a long file to read, if that saves reading much of it."""
        if entry.size < _IN_PARTS:
            return None
        path = entry.path
        if path not in self._ranges:
            ranges = self._candidates.ranges(entry) or ()
            spares = 4 * sum(end - start for start, end in ranges) < 3 * entry.size
            self._ranges[path] = ranges if ranges and spares else None
        return self._ranges[path]

    def _begun(self, text: bytes, lines: Lines, places: Sequence[int]) -> Iterator[int]:
        """The matching lines; the matches of the first ones begin at `places`."""
        yield from map(lines.number, places)
        if len(places) >= SHOWN:
            start = text.find(b"\n", places[-1]) + 1 or len(text)
            yield from self._lines(text, lines, start)

    def _read(self, entry: FileEntry) -> SearchedText | None:
        if entry.is_link and self._candidates.misses(entry):
            return None
        text = read_text(self._snapshot, entry, plain=not self._reader.is_other(entry))
        if isinstance(text, Missing):
            self.unsearched[entry] = text.reason
            return None
        if is_guessed(text.encoding):
            self.guessed[entry.relative] = text.encoding
        return text

    def _texts(self, entry: FileEntry, parts: Parts | None = None) -> list[bytes]:
        """Whole lines of a file, all that may match: a few ranges of a long file."""
        parts = parts or self._reader.parts(entry)
        if parts is not None:
            return list(map(with_plain_line_ends, parts.contents))
        text = self._read(entry)
        return [text.content] if text else []

    def _lines(self, text: bytes, lines: Lines, start: int = 0) -> Iterator[int]:
        for line in matching_lines(text, self._pattern, self._cancelled, lines, start):
            if self._cancelled():
                return
            yield line


def begin_search(snapshot: WorkspaceSnapshot) -> None:
    """The packages behind a search take longer to import than it takes; no file is read."""
    TextSearch(snapshot, Request("warm up"))
    _ = snapshot.listing.paths
