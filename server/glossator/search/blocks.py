"""Candidates in blocks, looked into here and by a second reader, and told in their order."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from glossator.files.entries import FileEntry
from glossator.search.block import FIRST, MOST, FileMatch, Reader
from glossator.search.prefilter import Counts, SearchSpec

if TYPE_CHECKING:
    from glossator.worker.parallel_scanner import ParallelScanner

_LENT = 4 * FIRST  # bytes in a block from which on it pays to ask a second reader
_FEW = 10  # times as many files as hold a match: then a second reader spares reading them here
SHOWN = 20  # lines of a file that are looked for before it is shown; there may not be room for more
_AHEAD = 8  # blocks that may be looked into before their turn

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


@dataclass(slots=True)
class _Block(Generic[_T]):
    """`found` is None if the second reader looks into the files."""

    files: Sequence[FileEntry]
    found: Iterable[tuple[FileEntry, _T]] | None


class Blocks(Generic[_T]):
    """One way through the candidates of a search; `done` files were begun, `held` were told.

    `amount` is what those begun take (see `Reader.amount`), `apart` the seconds that went by while
    what had been found was made use of. The blocks grow while few files hold a match.
    """

    def __init__(
        self,
        reader: Reader,
        way: MatchCollector[_T],
        sought: SearchSpec,
        second: ParallelScanner | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self.done = 0
        self.held = 0
        self.amount = 0
        self.apart = 0.0
        self._reader = reader
        self._way = way
        self._sought = sought
        self._second = second
        self._cancelled = cancelled
        self._size = FIRST
        self._few_hold = False
        self._waiting: deque[_Block[_T]] = deque()  # in their order

    def found(
        self, files: Iterator[FileEntry], largest: float, enough: Callable[[], bool]
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """Those that hold a match, in their order; gives the files that are left.

        It ends when there is `enough`, and before a file of more than `largest` bytes. The last
        ones are told by `rest`.
        """
        second = self._second
        while not (self._cancelled() or enough()):
            block, amount, files = self._reader.block(files, self._size, largest)
            if not block:
                break
            self.done += len(block)
            self.amount += amount
            if second and self._few_hold and self._size >= _LENT and second.has_room():
                plain, ranges = self._reader.plain(block)
                if plain:
                    second.ask(self._sought, plain, ranges)
                    self._waiting.append(_Block(block, None))
                    continue
            found: Iterable[tuple[FileEntry, _T]] = self._looked(block)
            if self._waiting:
                found = list(found)
            self._waiting.append(_Block(block, found))
            yield from self._told_in_turn(_AHEAD)
        return files

    def rest(self) -> Iterator[tuple[FileEntry, _T]]:
        """Those of the blocks that are being looked into still."""
        return self._told_in_turn(0)

    def _told_in_turn(self, most: int) -> Iterator[tuple[FileEntry, _T]]:
        for found in self._in_turn(most):
            since = monotonic()
            yield found
            self.apart += monotonic() - since

    def _in_turn(self, most: int) -> Iterator[tuple[FileEntry, _T]]:
        """What was found in the blocks whose turn it is, until at most so many are left."""
        second = self._second
        while self._waiting and not self._cancelled():
            found = self._waiting[0].found
            if found is None and second is not None:
                if not second.has_answered:
                    if len(self._waiting) <= most:
                        return
                    if not most and self._take_back():
                        continue
                found = self._told(self._waiting[0].files, second.answer(self._cancelled))
            files = self._waiting.popleft().files
            before = self.held
            for each in found or ():
                self.held += 1
                yield each
            held = self.held - before
            self._few_hold = _FEW * held < len(files)
            if 4 * held < len(files):  # else few more of them may be asked for
                self._size = min(2 * self._size, MOST)

    def _take_back(self) -> bool:
        """Look here into the last block the second reader has, unless it is the only one."""
        _, *others = (block for block in self._waiting if block.found is None)
        if others:
            others[-1].found = list(self._looked(others[-1].files))
        return bool(others)

    def _looked(self, files: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, _T]]:
        for held in self._reader.holding(files, self._way.most):
            if self._cancelled():
                return
            if result := self._made(held.entry, held.lines, held):
                yield held.entry, result

    def _told(
        self, files: Sequence[FileEntry], counts: Counts | None
    ) -> Iterator[tuple[FileEntry, _T]]:
        if counts is None:
            yield from self._looked(files)
            return
        for entry in files:
            if self._cancelled():
                return
            count = None if self._reader.is_other(entry) else counts.get(entry.path, 0)
            if count == 0:
                continue
            if result := self._made(entry, count):
                yield entry, result

    def _made(
        self, entry: FileEntry, lines: int | None, held: FileMatch | None = None
    ) -> _T | None:
        if lines is None:
            return self._way.look(entry)
        since = monotonic()
        told = self._way.told(entry, lines, held)
        self.apart += monotonic() - since
        return told
