"""The distinct trigrams of a text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glossator.index.fold import FOLD, KEYS

LONG = 3 << 12  # bytes; a longer text is divided
PASSAGE = 2 << 12  # bytes, and the rest of a line
MAX_PASSAGES = 1 << 12  # of one text; those of a longer one are longer
_PIECE = 1 << 15  # bytes; what is computed of them fits into the processor's cache
_STEP = 1 << 20  # bytes that are marked without a pause


def trigrams(text: bytes) -> NDArray[np.intp]:
    """The distinct keys of `text`, ascending."""
    seen = np.zeros(KEYS, np.bool_)
    for _ in mark(text, seen):
        pass
    return np.flatnonzero(seen)


def framed(text: bytes) -> bytes:
    """The text with a line end before its first and after its last line, as between any two.

    So the trigrams tell where lines begin and end.
    """
    return b"\n" + text + (b"" if text.endswith(b"\n") else b"\n")


def passages(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The text in pieces of whole lines: where each ends, and it with two bytes at either end.

    So the trigrams of whatever lies in one line, with the line ends around it, are in one piece.
    """
    framed_text = framed(text)
    text = text.removesuffix(b"\n")
    size = max(PASSAGE, len(text) // MAX_PASSAGES) if len(text) > LONG else LONG
    start = 0
    while len(text) - start > size and (end := text.find(b"\n", start + size) + 1):
        yield end, framed_text[max(0, start - 1) : end + 3]
        start = end
    yield len(text), framed_text[max(0, start - 1) :]


def mark(text: bytes, seen: NDArray[np.bool_]) -> Iterator[None]:
    """Set the places of the text's keys in `seen`; a long text takes several steps."""
    for at in range(0, len(text) - 2, _PIECE):
        if at and at % _STEP == 0:
            yield
        piece = text[at : at + _PIECE + 2].translate(FOLD)
        # each step in the narrowest type, but the last: numpy converts any other than intp
        # before it indexes with it
        folded = np.frombuffer(piece, np.uint8).astype(np.uint16)
        pairs = folded[:-1] << 6
        pairs |= folded[1:]
        keys = np.left_shift(pairs[:-1], 6, dtype=np.intp)
        keys |= folded[2:]
        seen[keys] = True
