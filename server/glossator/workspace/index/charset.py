"""Sets of characters as RE2 writes them: escapes, named sets and bracketed classes."""

from __future__ import annotations

import re
from collections.abc import Iterable

CodePoints = tuple[tuple[int, int], ...]  # of code points, both ends included, ascending, disjoint

_LAST = 0x10FFFF
_BEYOND = (0x80, _LAST)  # ASCII
EVERYTHING: CodePoints = ((0, _LAST),)


class UnknownSyntax(Exception):
    """Syntax that this parser does not know, though RE2 may."""


class Cursor:
    """A position in a pattern; reading moves it."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self.shared = True  # whether Rust's regex crate reads the syntax so far as RE2 does

    @property
    def rest(self) -> bool:
        """Whether anything is left."""
        return self._at < len(self._pattern)

    def next(self) -> str:
        """The next character. Raises `UnknownSyntax` at the end."""
        if not self.rest:
            raise UnknownSyntax
        self._at += 1
        return self._pattern[self._at - 1]

    def sees(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self._pattern.startswith(text, self._at)

    def take(self, text: str) -> bool:
        """Move past `text` if it comes next."""
        seen = self.sees(text)
        if seen:
            self._at += len(text)
        return seen

    def match(self, regex: re.Pattern[str]) -> re.Match[str] | None:
        """Move past what `regex`, one of ours, matches here."""
        match = regex.match(self._pattern, self._at)
        if match:
            self._at = match.end()
        return match

    def mark(self) -> int:
        """This place, for `since`."""
        return self._at

    def since(self, mark: int) -> str:
        """The text read since `mark`."""
        return self._pattern[mark : self._at]


def merged(ranges: Iterable[tuple[int, int]]) -> CodePoints:
    """The characters in ascending, disjoint ranges."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def complement(ranges: CodePoints) -> CodePoints:
    """All other characters."""
    edges = (0, *(edge for low, high in ranges for edge in (low - 1, high + 1)), _LAST)
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low <= high)


def is_raw_safe(letter: str) -> bool:
    """Whether ripgrep can be given this character as it is, not as an escape.

    It takes lines for patterns; NUL ends an argument; half a surrogate pair cannot be encoded.
    """
    return letter not in "\0\n\r" and not "\ud800" <= letter <= "\udfff"


def _of(text: str) -> CodePoints:
    """The ranges written as pairs of characters."""
    return merged((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


_DIGITS, _SPACES, _WORD = _of("09"), _of("\t\r  "), _of("09AZ__az")
# Unicode promises not to change these; of words and digits there are more in each version
_ALL_SPACES = _of(
    "\t\r  \x85\x85\xa0\xa0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000"
)
_PERL = {"d": _DIGITS, "w": _WORD}
_POSIX = {
    "alnum": _of("09AZaz"),
    "alpha": _of("AZaz"),
    "ascii": _of("\0\x7f"),
    "blank": _of("\t\t  "),
    "cntrl": _of("\0\x1f\x7f\x7f"),
    "digit": _DIGITS,
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/:@[`{~"),
    "space": _SPACES,
    "upper": _of("AZ"),
    "word": _WORD,
    "xdigit": _of("09AFaf"),
}
_POSIX_NAME = re.compile(rf"\[:(\^?)({'|'.join(_POSIX)}):\]")
_UNICODE_NAME = re.compile(r"\\[pP](?:\{[^}]*\}|[^{])")
_PERL_NAME = re.compile(r"\\([dswDSW])")
_HEX = re.compile(r"([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\}")
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_SET_OPERATIONS = ("&&", "--", "~~")  # Rust's, also meant for the future


def named_set(cursor: Cursor, *, least: bool = False) -> CodePoints | None:
    r"""The set of `\d`, `\pL` and the like, if one comes next: all that it may match.

    Beyond ASCII that is anything where it depends on Unicode's version; with `least`, nothing.
    """
    if cursor.match(_UNICODE_NAME):
        cursor.shared = False
        return EVERYTHING
    match = cursor.match(_PERL_NAME)
    if not match:
        return None
    if match[1] in "sS":
        return _ALL_SPACES if match[1] == "s" else complement(_ALL_SPACES)
    ranges = _PERL[match[1].lower()]
    ranges = complement(merged((*ranges, _BEYOND))) if match[1].isupper() else ranges
    return ranges if least else merged((*ranges, _BEYOND))


def escaped_character(cursor: Cursor) -> int:
    """The code point of an escape; its backslash is read already."""
    if octal := cursor.match(_OCTAL):
        cursor.shared = False
        return int(octal[0], 8)
    letter = cursor.next()
    if letter == "x" and (digits := cursor.match(_HEX)):
        code = int(digits[1] or digits[2], 16)
        cursor.shared &= not 0xD800 <= code <= 0xDFFF
        return code
    if letter in _CONTROLS:
        cursor.shared &= letter != "v"
        return _CONTROLS[letter]
    if not letter.isascii() or letter.isalnum():
        raise UnknownSyntax
    cursor.shared &= letter not in "<>"  # Rust: the edges of a word
    return ord(letter)


def bracketed(cursor: Cursor) -> CodePoints:
    """The set of a class in brackets; the opening bracket is read already."""
    start = cursor.mark()
    negated = cursor.take("^")
    if cursor.sees("]"):
        cursor.shared = False  # both read it as itself here, but Rust starts no range with it
        members = [_range(cursor)]
    else:
        members = []
    unknown = False
    while not cursor.take("]"):
        if posix := cursor.match(_POSIX_NAME):
            named: CodePoints | None = _POSIX[posix[2]]
            if posix[1]:
                named = complement(_POSIX[posix[2]])
        else:
            named = named_set(cursor, least=negated)
        if named is None:
            members.append(_range(cursor))
            continue
        members.extend(named)
        unknown = unknown or named == EVERYTHING
        # Rust takes a hyphen after a named set for a range that makes no sense.
        cursor.shared &= not cursor.sees("-") or cursor.sees("-]")
    if any(operation in cursor.since(start) for operation in _SET_OPERATIONS):
        cursor.shared = False
    if unknown:  # also when negated
        return EVERYTHING
    return complement(merged(members)) if negated else merged(members)


def _range(cursor: Cursor) -> tuple[int, int]:
    low = high = _member(cursor)
    if cursor.sees("-") and not cursor.sees("-]"):
        cursor.take("-")
        high = _member(cursor)
    return low, high


def _member(cursor: Cursor) -> int:
    letter = cursor.next()
    if letter == "\\":
        return escaped_character(cursor)
    cursor.shared &= is_raw_safe(letter) and letter != "["  # Rust: a class within the class
    return ord(letter)
