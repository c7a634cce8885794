"""Candidates in blocks, looked into here and by a second reader, and told in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from glossator.workspace.disk import Parts
from glossator.workspace.text.block import FIRST, MOST, Reader
from glossator.workspace.text.sifter import Counts, Sought
from glossator.workspace.walk import FileEntry

if TYPE_CHECKING:
    from glossator.workspace.worker.second_reader import SecondReader

_LENT = 4 * FIRST  # bytes in a block from which on it pays to ask a second reader
_FEW = 10  # times as many files as hold a match: then a second reader spares reading them here
_AHEAD = 8  # blocks that may be looked into before their turn

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class _Look(Protocol[_T_co]):
    def __call__(self, entry: FileEntry, parts: Parts | None = None, /) -> _T_co | None: ...


@dataclass(frozen=True, slots=True)
class Way(Generic[_T]):
    """What a search makes of a file that holds a match; None or 0 if it holds none.

    `look`: by looking into it, with its parts if these were read. `told`: of the number of its
    matching lines, or 1 unless it is `counting`. If it is `showing` lines, it must read them.
    """

    look: _Look[_T]
    told: Callable[[FileEntry, int], _T | None]
    counting: bool = False
    showing: bool = False


@dataclass(slots=True)
class _Block(Generic[_T]):
    """`found` is None if the second reader looks into the files."""

    files: Sequence[FileEntry]
    found: Iterable[tuple[FileEntry, _T]] | None


class Blocks(Generic[_T]):
    """One way through the candidates of a search; `done` files were begun, `held` were told.

    The blocks grow while few files hold a match.
    """

    def __init__(
        self, reader: Reader, way: Way[_T], sought: Sought, cancelled: Callable[[], bool]
    ) -> None:
        self.done = 0
        self.held = 0
        self._reader = reader
        self._way = way
        self._sought = sought
        self._cancelled = cancelled
        self._size = FIRST
        self._few_hold = False
        self._waiting: deque[_Block[_T]] = deque()  # in their order

    def found(
        self,
        files: Iterator[FileEntry],
        lent: AbstractContextManager[SecondReader | None],
        largest: float,
        enough: Callable[[], bool],
    ) -> Generator[tuple[FileEntry, _T], None, Iterator[FileEntry]]:
        """Those that hold a match, in their order; gives the files that are left.

        It ends when there is `enough`, and before a file of more than `largest` bytes.
        """
        with lent as second:
            while not (self._cancelled() or enough()):
                block, files = self._reader.block(files, self._size, largest)
                if not block:
                    break
                self.done += len(block)
                if second and self._few_hold and self._size >= _LENT and second.has_room:
                    plain, ranges = self._reader.plain(block)
                    if plain:
                        second.ask(self._sought, plain, ranges)
                        self._waiting.append(_Block(block, None))
                        continue
                found: Iterable[tuple[FileEntry, _T]] = self._looked(block)
                if self._waiting:
                    found = list(found)
                self._waiting.append(_Block(block, found))
                yield from self._in_turn(second, _AHEAD)
            yield from self._in_turn(second, 0)
        return files

    def _in_turn(self, second: SecondReader | None, most: int) -> Iterator[tuple[FileEntry, _T]]:
        """What was found in the blocks whose turn it is, until at most so many are left."""
        while self._waiting:
            found = self._waiting[0].found
            if found is None and second is not None:
                if len(self._waiting) <= most and not second.has_answered:
                    return
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

    def _looked(self, files: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, _T]]:
        for entry, parts in self._reader.holding(files):
            if self._cancelled():
                return
            if result := self._way.look(entry, parts):
                yield entry, result

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
            if result := self._way.look(entry) if count is None else self._way.told(entry, count):
                yield entry, result
