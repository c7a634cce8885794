"""The search engine: candidates from the index, verified in the order that was asked for.

What can match is read and searched here: the first part, and everything that is not plain text.
Where few files hold a match, the worker process looks into some of them (`blocks.py`). Where much
is left, ripgrep sifts the plain files first (`ripgrep.py`); without it, and where it fails, all are
read here. Lines are only ever told of a text that was just read here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import chain, compress, islice
from operator import attrgetter
from statistics import fmean
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from glossator.core.document import Missing, MissingReason
from glossator.workspace.disk import Parts, Stamp
from glossator.workspace.entries import FileEntry
from glossator.workspace.scan import (
    Lines,
    compile_pattern,
    count_matching_lines,
    holds_match,
    matching_lines,
)
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.text.block import OPENING, Held, Reader
from glossator.workspace.text.blocks import SHOWN, Blocks, Way
from glossator.workspace.text.candidates import Candidates, Ranges
from glossator.workspace.text.parts import listed_stamp, with_plain_line_ends
from glossator.workspace.text.required import analyse
from glossator.workspace.text.ripgrep import LARGE, Request, Ripgrep, Sifting
from glossator.workspace.text.ripgrep_pattern import folds_alike
from glossator.workspace.text.ripgrep_program import find_ripgrep
from glossator.workspace.text.sifter import Sought
from glossator.workspace.text.source import (
    Text,
    candidates,
    plain_text,
    read_text,
    unsearchable,
)

_ALONE = 0.03  # seconds of searching here first: what is found here is told file by file
_WORTH = 0.04  # seconds that the remaining files must take here for ripgrep to pay
_HOPEFUL = 0.06  # seconds in which what was found so far is taken for what goes on to be found
_TELLING = 10  # files with a match, from which on one can tell about how many there are
_SPARED = 8  # a long file is searched here if ripgrep would read so many times what we do
_IN_PARTS = 1 << 16  # bytes; to look up what is to be read of a shorter file takes too long
_VERY_LONG = 1 << 18  # bytes, which mostly takes several times as long to read as its passages
_MOST = 5_000  # files, which are not sorted anew
_SOME = 5_000  # files, from the first of which …
_SAMPLE = 200  # … so many, about, are taken for a sample of all

_path = attrgetter("path")

_T = TypeVar("_T")


class _Shown(NamedTuple):
    text: Text
    lines: Lines
    numbers: Iterator[int]


class TextSearch:
    """A search of one snapshot; for one thread. Raises `UsageError` for a bad pattern.

    When `cancelled` becomes true, every iteration ends within 50 ms, as if nothing followed.
    `alone` is the one file to look into, where it is only one; the index is not asked about it.
    `had` tells which share of what is wanted the caller has, 0 to 1. `unsearched` fills with the
    candidates that could not be read.
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
        compiled = compile_pattern(pattern, ignore_case=flags[0], multiline=flags[1])
        analysis = analyse(pattern, ignore_case=flags[0], multiline=flags[1])
        self._pattern = compiled.knowing(analysis.literal)
        self._snapshot = snapshot
        self._request = request
        self._cancelled = cancelled
        self._had = had
        self._portable = analysis.portable and folds_alike(pattern, ignore_case=flags[0])
        if alone is None or alone.size > LARGE:
            found = candidates(snapshot, analysis.query)
        else:
            found = Candidates((), (alone,))
        self._candidates = found
        self._others = {entry.path for entry in found.others}
        self._ranges: dict[str, Ranges | None] = {}  # of long ones, as they are asked for
        self._limit = snapshot.cache.max_file_bytes
        self._reader = Reader(self._limit, self._others, self._passages, self._pattern, cancelled)
        self._told = 0  # files with a match, when ripgrep has taken over
        self._blocks: Blocks[Any] | None = None  # those at work
        self.unsearched: dict[FileEntry, MissingReason] = {}

    def expected(self, found: int) -> float:
        """About so much is in all candidates, if so much was found so far; not less than that.

        An estimate by the first of them, and only if they hold enough.
        """
        blocks = self._blocks
        if blocks is None or blocks.held < _TELLING:
            return found
        return found * max(1, len(self._candidates) / blocks.done)

    def by_path(self) -> Iterator[FileEntry]:
        """The files that may match, by relative path."""
        found = self._candidates
        if len(found) > _MOST:
            return self._among(self._snapshot.files())
        alone = len(self._snapshot.roots) == 1  # then paths are in the order of what is shown
        key = attrgetter("path" if alone else "relative")
        return iter(sorted((*found.plain, *found.others), key=key))

    def newest_first(self) -> Iterator[FileEntry]:
        """The files that may match, those changed last first, and equal ones by path."""
        if len(self._candidates) > _MOST:
            return self._among(self._snapshot.newest_first)
        return iter(sorted(self.by_path(), key=attrgetter("mtime_ns"), reverse=True))

    def _among(self, files: Sequence[FileEntry]) -> Iterator[FileEntry]:
        """The candidates in the order of `files`: of so many, few are asked for, mostly."""
        binary = set(map(_path, unsearchable(self._snapshot)))
        if len(self._candidates) + len(binary) == len(files):  # all others, so none is looked up
            return (entry for entry in files if entry.path not in binary)
        wanted = set(map(_path, chain(self._candidates.plain, self._candidates.others)))
        return compress(files, map(wanted.__contains__, map(_path, files)))

    def files(self, selected: Iterator[FileEntry]) -> Iterator[FileEntry]:
        """Those of `selected` that hold a match."""
        for entry, _ in self._found(selected, Way(self._holds_match, lambda *_: True)):
            yield entry

    def counts(self, selected: Iterator[FileEntry]) -> Iterator[tuple[FileEntry, int]]:
        """Those of `selected` that hold matches, with the number of lines these lie in."""
        if self._request.multiline:  # of which ripgrep would count the matches
            way = Way(self._count, lambda entry, _, held: self._count(entry, held and held.parts))
        else:
            way = Way(self._count, lambda _, lines, __: lines, counting=True)
        return self._found(selected, way)

    def lines(
        self, selected: Iterator[FileEntry]
    ) -> Iterator[tuple[FileEntry, Text, Lines, Iterator[int]]]:
        """Those of `selected` that hold matches, with their matching lines, 1-based, ascending."""

        def told(entry: FileEntry, _: int, held: Held | None) -> _Shown | None:
            return self._shown(entry, None if self._passages(entry) else held)

        way = Way(self._look, told, showing=True)
        for entry, (text, lines, numbers) in self._found(selected, way):
            yield entry, text, lines, numbers

    def _holds_match(self, entry: FileEntry, parts: Parts | None = None) -> bool:
        pattern, cancelled = self._pattern, self._cancelled
        return any(holds_match(text, pattern, cancelled) for text in self._texts(entry, parts))

    def _count(self, entry: FileEntry, parts: Parts | None = None) -> int:
        pattern, cancelled = self._pattern, self._cancelled
        return sum(
            count_matching_lines(text, pattern, cancelled) for text in self._texts(entry, parts)
        )

    def _look(self, entry: FileEntry) -> _Shown | None:
        """As `_shown`; of a very long file what can match is looked into first."""
        if entry.size > _VERY_LONG and self._passages(entry):
            parts = self._reader.parts(entry)
            if parts is not None and not self._holds_match(entry, parts):
                return None
        return self._shown(entry)

    def _shown(self, entry: FileEntry, held: Held | None = None) -> _Shown | None:
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
        """What is to be read of a long file, where that spares reading much of it."""
        if entry.size < _IN_PARTS:
            return None
        path = entry.path
        if path not in self._ranges:
            ranges = self._candidates.ranges(entry) or ()
            spares = 4 * sum(end - start for start, end in ranges) < 3 * entry.size
            self._ranges[path] = ranges if ranges and spares else None
        return self._ranges[path]

    @cached_property
    def _amount(self) -> float:
        """About what all candidates take (see `Reader.amount`)."""
        found = self._candidates
        some = min(len(found), _SOME)
        few = islice(chain(found.plain, found.others), 0, some, 1 + some // _SAMPLE)
        return len(found) * fmean(map(self._reader.amount, few))

    def _is_ours(self, entry: FileEntry) -> bool:
        """Whether it is not for ripgrep, which reads all of a file, as it is and however long."""
        if entry.path in self._others or entry.size > self._limit:
            return True
        if entry.size < _SPARED * OPENING:  # without a look at its passages
            return False
        return _SPARED * self._reader.amount(entry) < entry.size

    def _begun(self, text: bytes, lines: Lines, places: Sequence[int]) -> Iterator[int]:
        """The matching lines, the first of which are known by where their matches begin."""
        yield from map(lines.number, places)
        if len(places) >= SHOWN:
            start = text.find(b"\n", places[-1]) + 1 or len(text)
            yield from self._lines(text, lines, start)

    def _read(self, entry: FileEntry) -> Text | None:
        if entry.is_link and self._candidates.misses(entry):
            return None
        text = read_text(self._snapshot, entry, plain=entry.path not in self._others)
        if isinstance(text, Missing):
            self.unsearched[entry] = text.reason
            return None
        return text

    def _texts(self, entry: FileEntry, parts: Parts | None = None) -> list[bytes]:
        """Whole lines of a file, and all in which a match can lie: a few ranges of a long one."""
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

    def _found(
        self, selected: Iterator[FileEntry], way: Way[_T]
    ) -> Generator[tuple[FileEntry, _T], None, None]:
        """Those of `selected` that hold a match, with what was found."""
        ordered = _peeked(selected)  # putting them in order is no time that ripgrep would spare
        if ordered is None:
            return
        with ExitStack() as lent:
            second = lent.enter_context(self._snapshot.second_reader())
            sought = Sought(self._request, self._pattern.within, way.counting, self._limit)
            self._blocks = blocks = Blocks(self._reader, way, sought, second, self._cancelled)
            left = yield from self._in_blocks(blocks, ordered, way)
            remaining = None if self._cancelled() else _peeked(left)
            if remaining is None:
                yield from blocks.rest()
                return
            sifting = self._sifting(remaining, way)
            if sifting is None:
                yield from blocks.found(remaining, math.inf, lambda: False)
                yield from blocks.rest()
                return
            with sifting:
                yield from blocks.rest()
                lent.close()
                yield from self._sifted(sifting, blocks, way)

    def _sifting(self, files: Iterator[FileEntry], way: Way[_T]) -> Sifting | None:
        """For these files, if there is a ripgrep."""
        snapshot = self._snapshot
        program = find_ripgrep(snapshot.ripgrep, snapshot.folders, self._cancelled)
        if not isinstance(program, str):
            return None
        folder = os.path.commonpath(snapshot.roots)
        ripgrep = Ripgrep(program, self._request, folder, way.counting)
        return Sifting(ripgrep, files, self._is_ours, self._wants_more_than, self._cancelled)

    def _sifted(
        self, sifting: Sifting, blocks: Blocks[_T], way: Way[_T]
    ) -> Iterator[tuple[FileEntry, _T]]:
        """What ripgrep finds after the blocks."""
        self._blocks = None
        self._told = sifting.matched = blocks.held
        sifting.passed = blocks.done
        for entry, count in sifting:
            if self._cancelled():
                return
            told = count if count and _is_unchanged(entry) else 0
            if result := way.told(entry, told, None) if told else way.look(entry):
                self._told += 1
                yield entry, result

    def _wants_more_than(self, files: int) -> bool:
        """Whether so many more files with matches would, by those so far, be too few."""
        return self._had() * (self._told + files) <= self._told

    def _in_blocks(
        self, blocks: Blocks[_T], selected: Iterator[FileEntry], way: Way[_T]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """As `_found`, as far as that does not take long, or cannot be left to ripgrep."""
        started = monotonic()

        def takes_long() -> bool:
            """Whether ripgrep would spare us much, if so many files took so many seconds."""
            seconds = monotonic() - started - blocks.apart
            if seconds <= _ALONE or not (self._portable and self._candidates):
                return False
            share = min(blocks.amount / self._amount, 1)
            if seconds < _HOPEFUL:
                share = max(share, self._had())
            spared = 1 - way.showing * blocks.held / max(blocks.done, 1)
            return seconds * spared * (1 - share) > _WORTH * share

        return blocks.found(selected, LARGE if self._portable else math.inf, takes_long)


def _peeked(files: Iterator[_T]) -> Iterator[_T] | None:
    """The same, the first of which is at hand; None if there is none."""
    try:
        first = next(files)
    except StopIteration:
        return None
    return chain((first,), files)


def _is_unchanged(entry: FileEntry) -> bool:
    """Whether the file is still the one that was listed, and no link by now."""
    try:
        status = os.lstat(entry.path)
    except OSError:
        return False
    return listed_stamp(entry) == Stamp.of(status)[:4]
