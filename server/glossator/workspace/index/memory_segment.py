"""A few documents indexed in memory: by key one bit for each, in blocks of 64 documents.

A block takes up to 2 MB. Views share the blocks: new bits are set in slots that no view reads yet;
reusing a slot copies its block.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index.searchable import Traits
from glossator.workspace.index.trigrams import KEYS, Candidates, Query

SIZE = 512  # documents
_SLOTS = 64  # of a block
_ALL = (1 << _SLOTS) - 1
_BLOCK_BYTES = KEYS * _SLOTS // 8

Bits = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class BlockView:
    """The valid documents of a block at one moment, as bit sets of slots; safe from any thread."""

    bits: Bits
    entries: tuple[FileEntry | None, ...]  # by slot
    live: int
    plain: int
    exotic: int
    binary: int

    def candidates(self, query: Query, masked: Container[str] = ()) -> Candidates:
        """The files that may hold a match, without those at the `masked` paths."""
        exotic = self.exotic if query.folds else 0
        found = (self._meeting(query) | exotic) & self.live & ~self.binary

        def files(slots: int) -> list[FileEntry]:
            return [entry for entry in self._at(slots) if entry.path not in masked]

        return Candidates(files(found & self.plain), files(found & ~self.plain))

    def knows_plain(self, entry: FileEntry) -> bool:
        """Whether the file has a valid document and is plain text."""
        if entry not in self.entries:
            return False
        return bool((self.live & self.plain) >> self.entries.index(entry) & 1)

    def unsearchable(self) -> Iterator[FileEntry]:
        """The files that are binary."""
        return self._at(self.live & self.binary)

    def _meeting(self, query: Query) -> int:
        found = _ALL
        if query.keys:
            keys = np.fromiter(query.keys, np.intp)
            found = int(np.bitwise_and.reduce(self.bits[keys]))
        for group in query.groups:
            found &= functools.reduce(operator.or_, map(self._meeting, group), 0)
        return found

    def _at(self, slots: int) -> Iterator[FileEntry]:
        while slots:
            lowest = slots & -slots
            slots ^= lowest
            if (entry := self.entries[lowest.bit_length() - 1]) is not None:
                yield entry


class _Block:
    def __init__(self, bits: Bits) -> None:
        self.bits = bits
        self.entries: list[FileEntry | None] = [None] * _SLOTS
        self.traits = [0] * _SLOTS  # as numbers, which are quicker to look through
        self.used = 0  # slots with bits, of valid documents or not
        self.live = 0
        self.view: BlockView | None = None

    @property
    def full(self) -> bool:
        return self.used == _ALL

    def add(self, entry: FileEntry, keys: NDArray[np.intp], traits: Traits) -> int:
        slot = (~self.used & self.used + 1).bit_length() - 1  # the lowest unused one
        self.bits[keys] |= np.uint64(1 << slot)
        self.entries[slot], self.traits[slot] = entry, traits.value
        self.used |= 1 << slot
        self.live |= 1 << slot
        self.view = None
        return slot

    def remove(self, slot: int) -> None:
        self.live &= ~(1 << slot)
        self.entries[slot] = None
        self.view = None

    def compacted(self) -> _Block:
        """A copy whose slots without a valid document are unused."""
        block = _Block(self.bits & np.uint64(self.live))
        block.entries, block.traits = self.entries, self.traits
        block.used = block.live = self.live
        return block

    def freeze(self) -> BlockView:
        if self.view is None:
            self.view = BlockView(
                self.bits,
                tuple(self.entries),
                self.live,
                self._having(Traits.PLAIN),
                self._having(Traits.EXOTIC),
                self._having(Traits.BINARY),
            )
        return self.view

    def _having(self, trait: Traits) -> int:
        return sum(1 << slot for slot, traits in enumerate(self.traits) if traits & trait)


class MemorySegment:
    """Documents by absolute path; for one thread, its views for any."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._places: dict[str, tuple[int, int]] = {}  # by path: block and slot

    def __len__(self) -> int:
        return len(self._places)

    @property
    def memory_bytes(self) -> int:
        """The most memory that is in use."""
        return len(self._blocks) * _BLOCK_BYTES

    def get(self, path: str) -> FileEntry | None:
        """The entry under which `path` was added, if it is still valid."""
        if (place := self._places.get(path)) is None:
            return None
        block, slot = place
        return self._blocks[block].entries[slot]

    def entries(self) -> list[FileEntry]:
        """The entries of all valid documents."""
        return [entry for path in self._places if (entry := self.get(path)) is not None]

    def add(self, entry: FileEntry, keys: NDArray[np.intp], traits: Traits) -> bool:
        """Add a document in place of an older one of its path; False when there is no room."""
        self.remove(entry.path)
        if len(self) == SIZE:
            return False
        number = self._block_with_room()
        self._places[entry.path] = number, self._blocks[number].add(entry, keys, traits)
        return True

    def remove(self, path: str) -> None:
        """Forget the document of `path`, if there is one."""
        if (place := self._places.pop(path, None)) is not None:
            block, slot = place
            self._blocks[block].remove(slot)

    def freeze(self) -> tuple[BlockView, ...]:
        """The documents now."""
        return tuple(block.freeze() for block in self._blocks if block.live)

    def _block_with_room(self) -> int:
        for number, block in enumerate(self._blocks):
            if not block.full:
                return number
        if len(self._blocks) < SIZE // _SLOTS:
            self._blocks.append(_Block(np.zeros(KEYS, np.uint64)))
            return len(self._blocks) - 1
        number = min(range(len(self._blocks)), key=lambda at: self._blocks[at].live.bit_count())
        self._blocks[number] = self._blocks[number].compacted()
        return number
