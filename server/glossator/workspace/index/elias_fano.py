"""Ascending numbers in little more room than their entropy, as Elias-Fano codes.

P. Elias, "Efficient storage and retrieval by content and address of static files" (1974); R. Fano,
"On the number of bits required to implement an associative memory" (1971). Here the upper parts
come first, in unary: a number's bit stands at its upper part plus its place among the numbers. The
lower parts follow, each in the same number of bits, the lowest first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WEIGHTS = 1 << np.arange(16)  # of the bits of a lower part


def encode(numbers: NDArray[np.uint16], limit: int) -> bytes:
    """The code of numbers below `limit`, 65,536 at most; ascending, each once, one at least."""
    count = len(numbers)
    low = _low_bits(count, limit)
    upper = np.zeros(_upper_bits(count, limit), np.uint8)
    upper[(numbers >> low) + np.arange(count)] = 1
    pairs = numbers.astype("<u2").view(np.uint8).reshape(count, 2)
    lower = np.unpackbits(pairs, axis=1, count=low, bitorder="little")
    return np.packbits(np.concatenate((upper, lower.ravel())), bitorder="little").tobytes()


def decode(code: bytes, count: int, limit: int) -> NDArray[np.uint16]:
    """The `count` numbers below `limit`."""
    low = _low_bits(count, limit)
    bits = np.unpackbits(np.frombuffer(code, np.uint8), bitorder="little")
    begin = _upper_bits(count, limit)
    numbers = np.flatnonzero(bits[:begin].view(np.bool_))
    numbers -= np.arange(count)
    numbers <<= low
    if low:
        lower = bits[begin : begin + count * low].reshape(count, low)
        numbers |= lower @ _WEIGHTS[:low]
    return numbers.astype("<u2")


def _low_bits(count: int, limit: int) -> int:
    """How many bits of each number are the lower part."""
    return (limit // count).bit_length() - 1


def _upper_bits(count: int, limit: int) -> int:
    """How many bits all upper parts take."""
    return count + (limit - 1 >> _low_bits(count, limit))
