"""Which candidates of a search hold a match, in the order that was asked for, as soon as it can be.

The first part, and everything that is not plain text, is read and searched here (`blocks.py`).
Where much is left, ripgrep sifts the plain files first (`ripgrep.py`); without it, and where it
fails, all are read here.
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

from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry, Stamp
from glossator.index import Candidates, listed_stamp
from glossator.search.ripgrep import LARGE, Prefilter, Request, Ripgrep
from glossator.search.ripgrep_program import find_ripgrep
from glossator.search.source import OPENING, FileMatch, Reader

_ALONE = 0.03  # seconds of searching here first: what is found here is told file by file
_WORTH = 0.04  # seconds that the remaining files must take here for ripgrep to pay
_HOPEFUL = 0.06  # seconds in which what was found so far is taken for what goes on to be found
_TELLING = 10  # files with a match, from which on one can tell about how many there are
_SPARED = 8  # a long file is searched here if ripgrep would read so many times what we do
_SOME = 5_000  # files, from the first of which …
_SAMPLE = 200  # … so many, about, are taken for a sample of all

_FIRST_BLOCK = 1 << 16  # bytes; each further block has twice as many, …
_MOST_BLOCK = 1 << 20  # … and so many at most
SHOWN = 20  # lines of a file that are looked for before it is shown; the answer may end before

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class MatchCollector(Generic[_T]):
    """What a search makes of a file that holds a match; None or 0 if it holds none.

    `look`: by looking into it. `told`: of the number of its matching lines, or 1 unless it is
    `counting`, and of what was read if it was here. If it is `showing` lines, it must have them.
    """

    look: Callable[[FileEntry], _T | None]
    told: Callable[[FileEntry, int, FileMatch | None], _T | None]
    counting: bool = False
    showing: bool = False

    @property
    def most(self) -> float:
        """How many matching lines to look for in a file."""
        if self.counting:
            return math.inf
        return SHOWN if self.showing else 1


class BlockScan(Generic[_T]):
    """Goes through the candidates of a search, once; blocks grow while few files hold a match.

    `done` files were read, `held` of them held a match. `amount` is what reading them took (see
    `Reader.amount`), `apart` the seconds in which the caller used what was found.
    """

    def __init__(
        self, reader: Reader, way: MatchCollector[_T], cancelled: Callable[[], bool]
    ) -> None:
        self.done = 0
        self.held = 0
        self.amount = 0
        self.apart = 0.0
        self._reader = reader
        self._way = way
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
            for match in self._reader.holding(block, self._way.most):
                if self._cancelled():
                    break
                if result := self._collect(match):
                    self.held += 1
                    since = monotonic()
                    yield match.entry, result
                    self.apart += monotonic() - since
            if 4 * (self.held - before) < len(block):  # else few more of them may be asked for
                self._size = min(2 * self._size, _MOST_BLOCK)
        return files

    def _collect(self, match: FileMatch) -> _T | None:
        if match.lines is None:
            return self._way.look(match.entry)
        since = monotonic()
        result = self._way.told(match.entry, match.lines, match)
        self.apart += monotonic() - since
        return result


class Finder:
    """Looks for a match in the candidates of one search of a snapshot; for one thread.

    `portable`: ripgrep finds the same. `had` tells which share of what is wanted the caller has,
    0 to 1. When `cancelled` becomes true, every iteration ends within 50 ms.
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
        self._told = 0  # files with a match, when ripgrep has taken over
        self._blocks: BlockScan[Any] | None = None  # those at work

    def expected(self, found: int) -> float:
        """About so much is in all candidates, if so much was found so far; not less than that.

        An estimate by the first of them, and only if they hold enough.
        """
        blocks = self._blocks
        if blocks is None or blocks.held < _TELLING:
            return found
        return found * max(1, len(self._candidates) / blocks.done)

    def found(
        self, selected: Iterator[FileEntry], way: MatchCollector[_T]
    ) -> Generator[tuple[FileEntry, _T], None, None]:
        """Those of `selected`, which are candidates, that hold a match, with what was found."""
        ordered = _peeked(selected)  # putting them in order is no time that ripgrep would spare
        if ordered is None:
            return
        self._blocks = blocks = BlockScan(self._reader, way, self._cancelled)
        left = yield from self._in_blocks(blocks, ordered, way)
        remaining = None if self._cancelled() else _peeked(left)
        if remaining is None:
            return
        sifting = self._sifting(remaining, way)
        if sifting is None:
            yield from blocks.found(remaining, math.inf, lambda: False)
            return
        with sifting:
            yield from self._sifted(sifting, blocks, way)

    def _in_blocks(
        self, blocks: BlockScan[_T], selected: Iterator[FileEntry], way: MatchCollector[_T]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """As `found`, as far as that does not take long, or cannot be left to ripgrep."""
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

    @cached_property
    def _amount(self) -> float:
        """About what all candidates take (see `Reader.amount`)."""
        found = self._candidates
        some = min(len(found), _SOME)
        few = islice(chain(found.plain, found.others), 0, some, 1 + some // _SAMPLE)
        return len(found) * fmean(map(self._reader.amount, few))

    def _sifting(self, files: Iterator[FileEntry], way: MatchCollector[_T]) -> Prefilter | None:
        """For these files, if there is a ripgrep."""
        snapshot = self._snapshot
        program = find_ripgrep(snapshot.ripgrep, snapshot.folders, self._cancelled)
        if not isinstance(program, str):
            return None
        folder = os.path.commonpath(snapshot.roots)
        ripgrep = Ripgrep(program, self._request, folder, way.counting)
        return Prefilter(ripgrep, files, self._is_ours, self._wants_more_than, self._cancelled)

    def _is_ours(self, entry: FileEntry) -> bool:
        """Whether it is not for ripgrep, which reads all of a file, as it is and however long."""
        reader = self._reader
        if reader.is_other(entry) or entry.size > reader.limit:
            return True
        if entry.size < _SPARED * OPENING:  # without a look at its passages
            return False
        return _SPARED * reader.amount(entry) < entry.size

    def _wants_more_than(self, files: int) -> bool:
        """Whether so many more files with matches would, by those so far, be too few."""
        return self._had() * (self._told + files) <= self._told

    def _sifted(
        self, sifting: Prefilter, blocks: BlockScan[_T], way: MatchCollector[_T]
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
