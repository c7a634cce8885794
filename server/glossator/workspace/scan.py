"""Finds a regular expression in documents, line by line as ripgrep does, in linear time (RE2).

Unless `multiline`, a match lies within one line and line ends are not part of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import re2

from glossator.core.document import Document
from glossator.core.errors import UsageError

_MAX_MEMORY = 64 << 20  # bytes for RE2's automata


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
    options.case_sensitive = not ignore_case
    flags = "(?ms)" if multiline else "(?m)"
    try:
        return Pattern(re2.compile((flags + pattern).encode(), options), multiline)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode() if isinstance(reason, bytes) else reason
        raise UsageError(
            f"The pattern {pattern!r} cannot be used: {reason}. The syntax is RE2's: no"
            " look-around and no back-references; escape characters such as ( [ {{ meant literally."
        ) from error


def matching_lines(document: Document, pattern: Pattern) -> Iterator[int]:
    """The 1-based numbers of the lines in which a match lies, ascending, each once."""
    if pattern.multiline:
        yield from _lines_of_spanning_matches(document, pattern.regex)
        return
    text = "\n".join(document.lines).encode("utf-8", "surrogatepass")
    line, at = 1, 0  # `at` is the byte where line number `line` starts
    while match := pattern.regex.search(text, at):
        start = match.start()
        line_start = text.rfind(b"\n", at, start) + 1 or at
        line += text.count(b"\n", at, line_start)
        line_end = text.find(b"\n", start)
        line_end = len(text) if line_end < 0 else line_end
        inside = match.end() <= line_end
        if inside or pattern.regex.search(text[line_start:line_end]):
            yield line
        if line_end == len(text):
            return
        line, at = line + 1, line_end + 1


def _lines_of_spanning_matches(document: Document, regex: re2.Pattern[bytes]) -> Iterator[int]:
    text = "\n".join(document.lines).encode("utf-8", "surrogatepass")
    line, at = 1, 0
    reported = 0
    for match in regex.finditer(text):
        line += text.count(b"\n", at, match.start())
        at = match.start()
        last = line + text.count(b"\n", at, max(at, match.end() - 1))
        yield from range(max(line, reported + 1), last + 1)
        reported = max(reported, last)
