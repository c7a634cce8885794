"""Which candidates of a search hold a match, in the requested order, each as soon as it is known.

This process searches the first files and all that are not plain text, in blocks: most candidates
hold no match, and starting a search takes longer than searching a text, so the texts of a block are
searched as one. If many files are left, ripgrep prefilters the plain ones (`ripgrep.py`); without
ripgrep, or where it fails, this process searches all (docs/decisions/0013).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from statistics import fmean
from time import monotonic
from typing import Any, Generic, TypeVar

from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.disk import Stamp
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.searchable import listed_stamp
from glossator.workspace.index.trigrams import Candidates
from glossator.workspace.search.ripgrep import LARGE, Prefilter, Request, Ripgrep, find_ripgrep
from glossator.workspace.search.source import OPENING, FileMatch, Reader

_ALONE_SECONDS = (
    0.03  # seconds of searching in this process, which reports file by file, before ripgrep
)
_WORTHWHILE_SECONDS = 0.04  # seconds that the remaining files must take here for ripgrep to pay
_PREDICTING_SECONDS = 0.06  # seconds after which the matches so far predict the further ones
_MIN_HOLDING = 10  # files with a match, from which on their number can be estimated
_SPARED_FACTOR = 8  # a long file is searched here if ripgrep would read so many times what we do
_SAMPLED_FILES = 5_000  # files, from the first of which …
_SAMPLE_SIZE = 200  # … so many, about, are taken for a sample of all

_FIRST_BLOCK = 1 << 16  # bytes; each further block has twice as many, …
_MAX_BLOCK = 1 << 20  # … and so many at most
SHOWN = 20  # matching lines of a file that are found before it is shown; the answer may end before

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class MatchCollector(Generic[_T]):
    """Makes the result of a file that holds a match; None or 0 if it holds none.

    `look` reads the file. `from_count` knows the number of matching lines (1 unless `counting`),
    and what this process read, if it did. `showing`: the result needs the lines.
    """

    look: Callable[[FileEntry], _T | None]
    from_count: Callable[[FileEntry, int, FileMatch | None], _T | None]
    counting: bool = False
    showing: bool = False

    @property
    def most(self) -> float:
        """How many matching lines to look for in a file."""
        if self.counting:
            return math.inf
        return SHOWN if self.showing else 1


class BlockScan(Generic[_T]):
    """Searches candidates in blocks, once; blocks grow while few files hold a match.

    `done` files were read, `held` of them held a match. `amount` is the cost of reading them (see
    `Reader.amount`), `apart` the seconds that the caller spent with the results.
    """

    def __init__(
        self, reader: Reader, collector: MatchCollector[_T], cancelled: Callable[[], bool]
    ) -> None:
        self.done = 0
        self.held = 0
        self.amount = 0
        self.apart = 0.0
        self._reader = reader
        self._collector = collector
        self._cancelled = cancelled
        self._size = _FIRST_BLOCK

    def found(
        self, files: Iterator[FileEntry], largest: float, enough: Callable[[], bool]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """The files that hold a match, in their order; returns the files that are left.

        It ends when there is `enough`, and before a file of more than `largest` bytes.
        """
        while not (self._cancelled() or enough()):
            block, amount, files = self._reader.block(files, self._size, largest)
            if not block:
                break
            self.done += len(block)
            self.amount += amount
            before = self.held
            for match in self._reader.holding(block, self._collector.most):
                if self._cancelled():
                    break
                if result := self._collect(match):
                    self.held += 1
                    since = monotonic()
                    yield match.entry, result
                    self.apart += monotonic() - since
            if 4 * (self.held - before) < len(block):  # else the caller may want few more
                self._size = min(2 * self._size, _MAX_BLOCK)
        return files

    def _collect(self, match: FileMatch) -> _T | None:
        if match.lines is None:
            return self._collector.look(match.entry)
        since = monotonic()
        result = self._collector.from_count(match.entry, match.lines, match)
        self.apart += monotonic() - since
        return result


class Finder:
    """Finds the candidates of one search that hold a match; for one thread.

    `portable`: ripgrep finds the same. `had` gives the share, 0 to 1, of the wanted results that
    the caller has. When `cancelled` becomes true, every iteration ends within 50 ms.
    """

    def __init__(
        self,
        snapshot: WorkspaceSnapshot,
        request: Request,
        candidates: Candidates,
        reader: Reader,
        *,
        portable: bool,
        had: Callable[[], float],
        cancelled: Callable[[], bool],
    ) -> None:
        self._snapshot = snapshot
        self._request = request
        self._candidates = candidates
        self._reader = reader
        self._portable = portable
        self._had = had
        self._cancelled = cancelled
        self._reported = 0  # files with a match, when ripgrep has taken over
        self._blocks: BlockScan[Any] | None = None  # the current scan

    def expected(self, found: int) -> float:
        """An estimate of all results, if `found` is the number so far; at least that number."""
        blocks = self._blocks
        if blocks is None or blocks.held < _MIN_HOLDING:
            return found
        return found * max(1, len(self._candidates) / blocks.done)

    def found(
        self, selected: Iterator[FileEntry], collector: MatchCollector[_T]
    ) -> Generator[tuple[FileEntry, _T], None, None]:
        """The `selected` candidates that hold a match, with their results."""
        ordered = _peeked(selected)  # ripgrep would not save the time of sorting them
        if ordered is None:
            return
        self._blocks = blocks = BlockScan(self._reader, collector, self._cancelled)
        left = yield from self._in_blocks(blocks, ordered, collector)
        remaining = None if self._cancelled() else _peeked(left)
        if remaining is None:
            return
        prefilter = self._prefilter(remaining, collector)
        if prefilter is None:
            yield from blocks.found(remaining, math.inf, lambda: False)
            return
        with prefilter:
            yield from self._prefiltered(prefilter, blocks, collector)

    def _in_blocks(
        self, blocks: BlockScan[_T], selected: Iterator[FileEntry], collector: MatchCollector[_T]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """Like `found`, until ripgrep would be quicker."""
        started = monotonic()

        def takes_long() -> bool:
            """Whether ripgrep would save much time, by the time that these files took."""
            # the time that the caller took says nothing of the files
            seconds = monotonic() - started - blocks.apart
            if seconds <= _ALONE_SECONDS or not (self._portable and self._candidates):
                return False
            share = min(blocks.amount / self._amount, 1)
            if seconds < _PREDICTING_SECONDS:
                share = max(share, self._had())
            spared = 1 - collector.showing * blocks.held / max(blocks.done, 1)
            return seconds * spared * (1 - share) > _WORTHWHILE_SECONDS * share

        return blocks.found(selected, LARGE if self._portable else math.inf, takes_long)

    @cached_property
    def _amount(self) -> float:
        """An estimate of the cost of all candidates (see `Reader.amount`)."""
        found = self._candidates
        some = min(len(found), _SAMPLED_FILES)
        few = islice(chain(found.plain, found.others), 0, some, 1 + some // _SAMPLE_SIZE)
        return len(found) * fmean(map(self._reader.amount, few))

    def _prefilter(
        self, files: Iterator[FileEntry], collector: MatchCollector[_T]
    ) -> Prefilter | None:
        """Ripgrep for these files, if it is installed."""
        snapshot = self._snapshot
        program = find_ripgrep(snapshot.ripgrep, snapshot.folders, self._cancelled)
        if not isinstance(program, str):
            return None
        folder = os.path.commonpath(snapshot.roots)
        ripgrep = Ripgrep(program, self._request, folder, collector.counting)
        return Prefilter(ripgrep, files, self._is_ours, self._wants_more_than, self._cancelled)

    def _is_ours(self, entry: FileEntry) -> bool:
        """Whether this process searches the file: ripgrep reads plain files as a whole."""
        reader = self._reader
        if reader.is_other(entry) or entry.size > reader.limit:
            return True
        if entry.size < _SPARED_FACTOR * OPENING:  # without a look at its passages
            return False
        return _SPARED_FACTOR * reader.amount(entry) < entry.size

    def _wants_more_than(self, files: int) -> bool:
        """Whether the caller will probably want more than so many further files."""
        return self._had() * (self._reported + files) <= self._reported

    def _prefiltered(
        self, prefilter: Prefilter, blocks: BlockScan[_T], collector: MatchCollector[_T]
    ) -> Iterator[tuple[FileEntry, _T]]:
        """What ripgrep finds after the blocks."""
        self._blocks = None
        self._reported = prefilter.matched = blocks.held
        prefilter.passed = blocks.done
        for entry, count in prefilter:
            if self._cancelled():
                return
            known = count if count and _is_unchanged(entry) else 0
            if (
                result := collector.from_count(entry, known, None)
                if known
                else collector.look(entry)
            ):
                self._reported += 1
                yield entry, result


def _peeked(files: Iterator[_T]) -> Iterator[_T] | None:
    """The iterator with its first item made already; None if it is empty."""
    try:
        first = next(files)
    except StopIteration:
        return None
    return chain((first,), files)


def _is_unchanged(entry: FileEntry) -> bool:
    """Whether the file is still as it was listed, and no link."""
    try:
        status = os.lstat(entry.path)
    except OSError:
        return False
    return listed_stamp(entry) == Stamp.of(status)[:4]
