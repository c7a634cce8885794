"""Finds a regular expression in texts, line by line as ripgrep does, in linear time (RE2).

Unless `multiline`, a match lies within one line and line ends are not part of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import re2

from glossator.core.errors import UsageError

_MAX_MEMORY = 64 << 20  # bytes for RE2's automata
_PIECE = 1 << 18  # bytes searched at a time: even RE2's slowest way takes few ms for them


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern."""

    regex: re2.Pattern[bytes]
    multiline: bool


def compile_pattern(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Pattern:
    """Compile with RE2. Raises `UsageError` saying what is wrong with the pattern."""
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    options.never_capture = True  # only where a match lies is of interest
    options.case_sensitive = not ignore_case
    # A match that cannot hold a line end also ends at it: without this, `[^x]+` would look at the
    # whole rest of the text from every line.
    options.never_nl = not multiline
    flags = "(?ms)" if multiline else "(?m)"
    try:
        encoded = (flags + pattern).encode("utf-8", "surrogatepass")
        return Pattern(re2.compile(encoded, options), multiline)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise UsageError(
            f"The pattern {pattern!r} cannot be used: {reason}. The syntax is RE2's: no"
            " look-around and no back-references; escape characters such as ( [ { meant literally."
        ) from error


def as_searched(text: str) -> bytes:
    """A text as it is searched: UTF-8, every line end a LF, and none after the last line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").encode("utf-8", "surrogatepass")


def matching_lines(
    text: bytes, pattern: Pattern, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[int]:
    """The 1-based numbers of the lines in which a match lies, ascending, each once.

    `text` is as `as_searched` makes it and has at least one line, be it empty. `cancelled` is asked
    now and then, and ends the search early.
    """
    scan = _spanning if pattern.multiline else _line_by_line
    return scan(text, pattern.regex, cancelled)


class Lines:
    """The lines of a text that is as `as_searched` makes it, to be asked for in ascending order.

    Nothing behind the last line that was asked for is ever looked at.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._number, self._at = 1, 0  # a line, and a place in it: where it begins if it was asked

    def get(self, number: int) -> str | None:
        """Line `number`, 1-based; None behind the last one."""
        text, at = self._text, self._at
        missing = number - self._number  # line ends from here on
        while at + _PIECE < len(text) and (ends := text.count(b"\n", at, at + _PIECE)) < missing:
            missing -= ends
            at += _PIECE
        for _ in range(missing):
            at = text.find(b"\n", at) + 1
            if not at:
                return None
        self._number, self._at = number, at
        end = text.find(b"\n", at)
        return text[at : end if end >= 0 else None].decode("utf-8", "surrogatepass")


def _line_by_line(
    text: bytes, regex: re2.Pattern[bytes], cancelled: Callable[[], bool]
) -> Iterator[int]:
    line, at = 1, 0  # `at` is the byte where line number `line` starts
    while not cancelled():
        end = text.find(b"\n", at + _PIECE)
        if end < 0:
            end = len(text)
        while match := regex.search(text, at, end):
            start = match.start()
            line += text.count(b"\n", at, start)
            yield line
            line_end = text.find(b"\n", start)
            if line_end < 0:
                return
            line, at = line + 1, line_end + 1
        if end == len(text):
            return
        line += text.count(b"\n", at, end + 1)
        at = end + 1


def _spanning(
    text: bytes, regex: re2.Pattern[bytes], cancelled: Callable[[], bool]
) -> Iterator[int]:
    line, at = 1, 0
    reported = 0
    for match in regex.finditer(text):
        if cancelled():
            return
        line += text.count(b"\n", at, match.start())
        at = match.start()
        last = line + text.count(b"\n", at, max(at, match.end() - 1))
        yield from range(max(line, reported + 1), last + 1)
        reported = max(reported, last)
