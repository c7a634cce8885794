"""The layout of a segment file; all numbers are little-endian.

    header     magic, version, counts, and the CRC-32 of header and tables
    tables     of documents: stamp, traits, path (relative to the root, as bytes, then a NUL)
               of passages: the document, where it ends in there; a document has one or more
               of keys, ascending: key, start of posting (and where the last one ends), CRC-32 of
               posting, passages less 1
    postings   of each key the numbers of its passages, ascending, in one of three forms (`Form`)

They are read as roaring bitmaps; see D. Lemire et al., "Roaring Bitmaps: Implementation of an
Optimized Software Library" (2018).

Elias-Fano codes take little more room than the entropy of ascending numbers: P. Elias, "Efficient
storage and retrieval by content and address of static files" (1974); R. Fano, "On the number of
bits required to implement an associative memory" (1971). Here the upper parts come first, in unary:
a number's bit stands at its upper part plus its place among the numbers. The lower parts follow,
each in the same number of bits, the lowest first.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import STAMP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC: Final = b"GLOSTEXT"
VERSION: Final = state_folder.VERSION
MAX_PASSAGES: Final = 1 << 16
ROARING_ARRAY: Final = 4096  # members; a roaring container of more holds all 65,536 bits

# magic, version, documents, passages, keys, bytes of paths, bytes of postings, then the checksum
HEADER: Final = struct.Struct("<8sIIIIQQI")
CHECKSUM: Final = struct.Struct("<I")  # CRC-32 of the header before it, and of the tables
# what stands before the container in a serialised roaring bitmap of one array or bitset container:
# cookie, number of containers, high bits of the members, members less 1, place of the container
ROARING: Final = struct.Struct("<IIHHI")
ROARING_COOKIE: Final = 12346

_FEW_MEMBERS = 64  # members; plain numbers are read quickest, and few take little room in any form
_DENSE_PASSAGES = 8  # passages a member, up to which one bit a passage is hardly longer


class Form(Enum):
    """How a posting is written."""

    NUMBERS = auto()  # 16 bits each
    ELIAS_FANO = auto()  # mostly half as long
    BITS = auto()  # one for every passage of the segment


@dataclass(frozen=True, slots=True)
class Sections:
    """Where each table starts, in bytes from the start of the file, and how long the file is."""

    documents: int
    passages: int
    keys: int
    path_bytes: int
    posting_bytes: int

    @property
    def stamps(self) -> int:
        """Documents of `STAMP`."""
        return HEADER.size

    @property
    def key_table(self) -> int:
        """Keys of u4."""
        return self.stamps + STAMP.size * self.documents

    @property
    def starts(self) -> int:
        """Keys and one more of u4: where each posting starts, from the first one, and all end."""
        return self.key_table + 4 * self.keys

    @property
    def sums(self) -> int:
        """Keys of u4."""
        return self.starts + 4 * (self.keys + 1)

    @property
    def counts(self) -> int:
        """Keys of u2."""
        return self.sums + 4 * self.keys

    @property
    def owners(self) -> int:
        """Passages of u2: the document."""
        return self.counts + 2 * self.keys

    @property
    def ends(self) -> int:
        """Passages of u8: the byte of the file at which it ends, and the next one begins."""
        return self.owners + 2 * self.passages

    @property
    def traits(self) -> int:
        """Documents of u1."""
        return self.ends + 8 * self.passages

    @property
    def paths(self) -> int:
        """The paths, one after the other, each with a NUL at its end."""
        return self.traits + self.documents

    @property
    def postings(self) -> int:
        """The postings, to the end of the file."""
        return self.paths + self.path_bytes

    @property
    def end(self) -> int:
        """The length of the file."""
        return self.postings + self.posting_bytes


def form(members: int, passages: int) -> Form:
    """The form of a posting of so many members in a segment of so many passages."""
    if members * _DENSE_PASSAGES > passages or members > ROARING_ARRAY:
        return Form.BITS
    return Form.NUMBERS if members <= _FEW_MEMBERS else Form.ELIAS_FANO


def encode_ascending(numbers: NDArray[np.uint16], limit: int) -> bytes:
    """The code of numbers below `limit`, 65,536 at most; ascending, each once, one at least."""
    import numpy as np  # noqa: PLC0415 - takes long, and the server starts without it

    count = len(numbers)
    low = _low_bits(count, limit)
    upper = np.zeros(_upper_bits(count, limit), np.uint8)
    upper[(numbers >> low) + np.arange(count)] = 1
    pairs = numbers.astype("<u2").view(np.uint8).reshape(count, 2)
    lower = np.unpackbits(pairs, axis=1, count=low, bitorder="little")
    return np.packbits(np.concatenate((upper, lower.ravel())), bitorder="little").tobytes()


def decode_ascending(code: bytes, count: int, limit: int) -> NDArray[np.uint16]:
    """The `count` numbers below `limit`."""
    import numpy as np  # noqa: PLC0415 - takes long, and the server starts without it

    low = _low_bits(count, limit)
    bits = np.unpackbits(np.frombuffer(code, np.uint8), bitorder="little")
    begin = _upper_bits(count, limit)
    numbers = np.flatnonzero(bits[:begin].view(np.bool_))
    numbers -= np.arange(count)
    numbers <<= low
    if low:
        lower = bits[begin : begin + count * low].reshape(count, low)
        numbers |= lower @ (1 << np.arange(low))  # the weights of its bits
    return numbers.astype("<u2")


def _low_bits(count: int, limit: int) -> int:
    """How many bits of each number are the lower part."""
    return (limit // count).bit_length() - 1


def _upper_bits(count: int, limit: int) -> int:
    """How many bits all upper parts take."""
    return count + (limit - 1 >> _low_bits(count, limit))
