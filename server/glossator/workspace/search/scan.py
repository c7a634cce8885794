"""Finds a regular expression in texts, line by line as ripgrep does, in linear time (RE2).

Unless `multiline`, a match lies within one line, without its line end. With `multiline` line ends
are part of the text, but no match begins after the last one.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice

import re2

from glossator.core.errors import UsageError
from glossator.workspace.search.unicode import Forms, forms, less_marks, mark_edges, unmarked

_MAX_MEMORY = 64 << 20  # bytes for RE2's automata
_PIECE = 1 << 16  # bytes searched at a time: even RE2's slowest way takes few ms for them
_MAX_JOINED = 1 << 21  # bytes; more texts are not copied to be searched as one
_STEP = 2_048  # bytes, some ten lines
_NEAR_LINES = 20  # lines; a move over fewer goes line by line
_LINES_A_CHECK = 256  # matching lines between two checks whether the search was cancelled
_NUMPY_BYTES = 5_000  # bytes, from which on numpy counts line ends quicker, …
_NUMPY_PIECE = 1 << 16  # … in pieces that need no new memory from the system
_OF_TEXTS = re.compile(
    r"\\[AzC]|\(\?[a-zA-Z]*-"
)  # also matches a few patterns that only look like it


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern.

    `of_texts`: it may ask where a text begins or ends, or match part of a character. Otherwise,
    unless `multiline`, a match depends on its line alone. `regex` is for ASCII texts; for others it
    has further `forms` if it asks for classes of characters or edges of words.
    """

    regex: re2.Pattern[bytes]
    multiline: bool
    of_texts: bool
    forms: Forms | None = None
    options: re2.Options = field(default_factory=re2.Options, repr=False)

    @property
    def may_miss(self) -> bool:
        """Whether it is searched as ASCII has it in all texts."""
        return self.forms is not None and (
            self.forms.inner or (self.of_texts and self.forms.marked is not None)
        )

    def searching(self, text: bytes) -> re2.Pattern[bytes]:
        """What finds all matches in `text`, and more where `checks`."""
        return self.regex if self._wide is None or text.isascii() else self._wide

    def checks(self, text: bytes) -> bool:
        """Whether a match of `searching` must be one of `holds`, too."""
        return self._marked is not None and (self._directed or not text.isascii())

    def holds(self, line: bytes) -> bool:
        """Whether a match lies in the line."""
        if self._marked is None or (line.isascii() and not self._directed):
            return self.regex.search(line) is not None
        return self._marked.search(mark_edges(line)) is not None

    def spanning(self, text: bytes) -> tuple[re2.Pattern[bytes], bytes]:
        """What finds the matches in `text`, and a text with the same lines in which it does so."""
        if self._marked is not None and self.checks(text):
            return self._marked, mark_edges(text)
        return self.searching(text), text

    def place(self, line: bytes) -> int:
        """Where in the line, in bytes, a match begins; 0 if none lies within it."""
        regex, searched = self.spanning(line)
        match = regex.search(searched)
        return 0 if match is None else len(unmarked(searched[: match.start()]))

    @cached_property
    def _directed(self) -> bool:
        return self.forms is not None and self.forms.directed

    @cached_property
    def _wide(self) -> re2.Pattern[bytes] | None:
        if self.forms is None or self.may_miss:
            return None
        return self._compiled(self.forms.wide)

    @cached_property
    def _marked(self) -> re2.Pattern[bytes] | None:
        if self.forms is None or self.forms.marked is None or self.may_miss:
            return None
        return self._compiled(self.forms.marked)

    def _compiled(self, pattern: str) -> re2.Pattern[bytes]:
        return re2.compile(_flagged(pattern, multiline=self.multiline), self.options)


def compile_pattern(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Pattern:
    """Compile with RE2. Raises `UsageError` saying what is wrong with the pattern."""
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    options.never_capture = True  # only the place of a match is needed
    options.case_sensitive = not ignore_case
    # A match that cannot hold a line end also ends at it: without this, `[^x]+` would look at the
    # whole rest of the text from every line.
    options.never_nl = not multiline
    by_unicode = forms(pattern)
    searched = by_unicode.ascii if by_unicode else pattern
    try:
        regex = re2.compile(_flagged(searched, multiline=multiline), options)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise UsageError(
            f"The pattern {pattern!r} cannot be used: {reason}.\nThe syntax is RE2's: no"
            " look-around and no back-references; escape characters such as ( [ { meant literally."
        ) from error
    return Pattern(regex, multiline, _OF_TEXTS.search(pattern) is not None, by_unicode, options)


def _flagged(pattern: str, *, multiline: bool) -> bytes:
    return (("(?ms)" if multiline else "(?m)") + pattern).encode("utf-8", "surrogatepass")


def as_searched(text: str) -> bytes:
    """A text as it is searched: UTF-8 with LF line ends; a LF at the end opens no further line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "surrogatepass")


def matching_lines(
    text: bytes,
    pattern: Pattern,
    cancelled: Callable[[], bool] = lambda: False,
    lines: Lines | None = None,
    start: int = 0,
) -> Iterator[int]:
    """The 1-based numbers of the lines in which a match lies, ascending, each once.

    `text` comes from `as_searched`. `cancelled` is checked now and then, and ends the search.
    `lines` of the text, if given, stand at the last line yielded. Unless the pattern is multiline,
    the search can begin at the line that begins at byte `start`.
    """
    lines = lines or Lines(text)
    if not pattern.multiline:
        yield from map(lines.number, _in_lines(text, pattern, cancelled, start))
    elif text:
        regex, searched = pattern.spanning(text)
        counted = lines if searched is text else Lines(searched)
        yield from _spanning(searched, regex, counted, cancelled)


def holds_match(
    text: bytes, pattern: Pattern, cancelled: Callable[[], bool] = lambda: False
) -> bool:
    """Whether `matching_lines` yields any."""
    if pattern.multiline:
        regex, searched = pattern.spanning(text)
        match = regex.search(searched) if text else None
        return match is not None and not _is_behind(searched, match.start())
    return next(_in_lines(text, pattern, cancelled), None) is not None


def count_matching_lines(
    text: bytes, pattern: Pattern, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """How many numbers `matching_lines` yields."""
    scan = matching_lines if pattern.multiline else _in_lines
    return sum(1 for _ in scan(text, pattern, cancelled))


def places_by_text(
    texts: Sequence[bytes],
    pattern: Pattern,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    most: float = math.inf,
) -> dict[int, list[int]]:
    """Where the first match of each line begins, in at most `most` lines of each text.

    By the index of the text; texts without a match are left out. The pattern is not `multiline`.
    All are searched as one text, as starting a search takes longer than searching most texts.
    """
    if pattern.of_texts or sum(map(len, texts)) > _MAX_JOINED:
        alone = (_in_lines(text, pattern, cancelled) for text in texts)
        limit = None if most == math.inf else int(most)
        places = enumerate(list(islice(each, limit)) for each in alone)
        return {number: found for number, found in places if found}
    ended = [text if not text or text.endswith(b"\n") else text + b"\n" for text in texts]
    ends = list(accumulate(map(len, ended)))
    whole = b"".join(ended)
    found: dict[int, list[int]] = {}

    def after(start: int) -> int:
        return whole.find(b"\n", start) + 1 if len(found[place]) < most else ends[place]

    for start in _in_lines(whole, pattern, cancelled, after=after):
        place = bisect_right(ends, start)
        found.setdefault(place, []).append(start - ends[place] + len(ended[place]))
    return found


class Lines:
    """Line numbers and lines of a text from `as_searched`; quick near the last one asked for.

    It never reads past the last line that was asked for.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._number, self._at = 1, 0  # a line, and where it begins
        self._known = 0  # a place in it

    def number(self, place: int) -> int:
        """The 1-based number of the line that contains the byte at `place`."""
        text, known = self._text, self._known
        if place >= known:
            passed = _line_ends(text, known, place)
        else:
            passed = -text.count(b"\n", place, known)
        self._known = place
        if passed:  # else each match would scan back through a long line
            self._number += passed
            self._at = text.rfind(b"\n", 0, place) + 1
        return self._number

    def get(self, number: int) -> str | None:
        """Line `number`, 1-based; None after the last one."""
        text, at = self._text, self._at
        missing = number - self._number  # line ends from here on
        for _ in range(-missing):
            at = text.rfind(b"\n", 0, at - 1) + 1
        for step in (_PIECE, _STEP) if missing > _NEAR_LINES else ():
            while at + step < len(text) and (ends := _line_ends(text, at, at + step)) < missing:
                missing -= ends
                at += step
        for _ in range(missing):
            at = text.find(b"\n", at) + 1
            if not 0 < at < len(text):
                return None
        self._number, self._at, self._known = number, at, at
        end = text.find(b"\n", at)
        return text[at : end if end >= 0 else None].decode("utf-8", "surrogatepass")


def _in_lines(
    text: bytes,
    pattern: Pattern,
    cancelled: Callable[[], bool],
    at: int = 0,
    after: Callable[[int], int] | None = None,
) -> Iterator[int]:
    """Where the first match of each line begins, from the line at `at` on.

    `after` gives the place to go on from after a match; by default the next line.
    """

    def next_line(start: int) -> int:
        return text.find(b"\n", start) + 1

    # without the line end of the last line; a copy would take as long as a search
    view = memoryview(text)[:-1] if text.endswith(b"\n") else text
    after = after or next_line
    regex, checks = pattern.searching(text), pattern.checks(text)
    last = len(view)
    while at < len(text) and not cancelled():
        end = text.find(b"\n", at + _PIECE, last)
        if end < 0:
            end = last
        found = 0
        while match := regex.search(view, at, end):
            start = match.start()
            if not checks or pattern.holds(_line_at(view, text, start)):
                yield start
                at = after(start)
            else:
                at = next_line(start)
            found += 1
            if not 0 < at <= last or (found % _LINES_A_CHECK == 0 and cancelled()):
                return
            if at > end:
                break
        if end == last:
            return
        at = max(at, end + 1)


def _line_at(view: bytes | memoryview, text: bytes, place: int) -> bytes:
    end = text.find(b"\n", place, len(view))
    return text[text.rfind(b"\n", 0, place) + 1 : end if end >= 0 else len(view)]


def _spanning(
    text: bytes, regex: re2.Pattern[bytes], lines: Lines, cancelled: Callable[[], bool]
) -> Iterator[int]:
    reported = place = 0
    while place <= len(text):
        for match in regex.finditer(text, place):
            if cancelled() or _is_behind(text, match.start()):
                return
            line, at = lines.number(match.start()), match.start()
            end = less_marks(text, at, match.end())
            last = line + text.count(b"\n", at, max(at, end - 1))
            yield from range(max(line, reported + 1), last + 1)
            reported = max(reported, last)
            if (
                end < match.end()
            ):  # the mark of an edge at which a match ends is the next one's, too
                place = max(end, at + 1)
                break
        else:
            return


def _is_behind(text: bytes, place: int) -> bool:
    """Whether it is after the last line end, where no further line begins."""
    end = less_marks(text, 0, len(text))
    return place >= end and text[end - 1 : end] == b"\n"


def _line_ends(text: bytes, start: int, end: int) -> int:
    if end - start < _NUMPY_BYTES:
        return text.count(b"\n", start, end)
    import numpy as np  # noqa: PLC0415 - takes long to import, and small texts do without

    found = 0
    for at in range(start, end, _NUMPY_PIECE):
        piece = np.frombuffer(text, np.uint8, min(_NUMPY_PIECE, end - at), at)
        found += int(np.count_nonzero(piece == ord("\n")))
    return found
