"""Patterns that are literals, or begin with one, and finding these in texts quickly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import re2

_PLACES = 4  # of a literal that are looked at before RE2 is asked for the pattern
_SOON = 8_192  # bytes in which a literal is looked for without RE2, …
_LONG = 200  # … and from which on, because it skips more, one is found sooner without
_PLAIN = r"[\w ,;:=<>/\"'@#%&!~-]|\\[!-/:;=?@\[-^`{-~]"  # a character as it stands, or escaped
_LITERAL = re.compile(rf"(\\b)?((?:{_PLAIN})+)(\\b)?", re.ASCII)
_BEGINNING = re.compile(rf"(?:{_PLAIN})*", re.ASCII)
_ESCAPED = re.compile(r"\\(.)")
_WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Literal:
    """The only text a pattern matches, and whether only if words meet at its start and end."""

    text: bytes
    at_start: bool
    at_end: bool

    def find(self, text: bytes, start: int, end: int) -> int | None:
        """Where the first match between two line ends begins; -1 if there is none.

        None when the literal lies where it does not fit so often that RE2 is quicker.
        """
        for _ in range(_PLACES):
            at = find_literal(text, self.text, start, end)
            if at < 0 or self._fits(text, at):
                return at
            start = at + 1
        return None

    def _fits(self, text: bytes, at: int) -> bool:
        if self.at_start and not _is_boundary(text, at):
            return False
        return not self.at_end or _is_boundary(text, at + len(self.text))


def literal_of(pattern: str) -> Literal | None:
    """The literal that a case-sensitive pattern is, if that is quick to see."""
    match = _LITERAL.fullmatch(pattern)
    if match is None:
        return None
    before, plain, after = match.groups()
    return Literal(_as_it_stands(plain), bool(before), bool(after))


def beginning_of(pattern: str) -> bytes:
    """What of the pattern, up to the first operator, is plain; the last of it may be repeated."""
    beginning = _BEGINNING.match(pattern)
    return _as_it_stands(beginning[0]) if beginning else b""


def find_literal(text: bytes, literal: bytes, start: int, end: int) -> int:
    """As `bytes.find`, which is quicker for a while and then slower than RE2."""
    near = start + _SOON
    if near >= end or len(literal) > _LONG:
        return text.find(literal, start, end)
    at = text.find(literal, start, near)
    if at >= 0:
        return at
    match = _compile_literal(literal).search(text, near - len(literal) + 1, end)
    return match.start() if match else -1


def _as_it_stands(plain: str) -> bytes:
    return _ESCAPED.sub(r"\1", plain).encode()


def _is_boundary(text: bytes, at: int) -> bool:
    """Whether one of the bytes before and at `at` belongs to a word of ASCII, and one does not."""
    before = at > 0 and text[at - 1] in _WORD
    return before != (at < len(text) and text[at] in _WORD)


@lru_cache(maxsize=16)
def _compile_literal(literal: bytes) -> re2.Pattern[bytes]:
    """RE2 for bytes as they stand: in long texts it is several times as quick as `bytes.find`."""
    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # a byte is a byte
    options.never_capture = True
    return re2.compile(re2.escape(literal), options)
