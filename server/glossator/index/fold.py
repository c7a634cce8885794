"""The alphabet of the index: 256 bytes folded to 64 classes, three classes make an 18-bit key.

Both cases of an ASCII letter are one class, so the index answers for either. Bytes of characters
outside ASCII are all one class.
"""

from __future__ import annotations

KEYS = 1 << 18  # distinct trigrams

_CLASSES = (
    *(letter + letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"),
    *"0123456789",
    *"_(){}[].,;:=\"'/\\*-+<>#",
    "&|!",
    "@$%",
    " \t\r\f\v",
    "\n",
)
_REST = len(_CLASSES)  # ? ^ ~ ` and control characters
_OUTSIDE = _REST + 1  # bytes from 0x80


def _table() -> bytes:
    table = bytearray([_REST] * 0x80 + [_OUTSIDE] * 0x80)
    for number, members in enumerate(_CLASSES):
        for member in members:
            table[ord(member)] = number
    return bytes(table)


FOLD = _table()  # byte -> class, 0 to 63


def key(first: int, second: int, third: int) -> int:
    """The key of three bytes that follow each other in UTF-8 text."""
    return FOLD[first] << 12 | FOLD[second] << 6 | FOLD[third]
