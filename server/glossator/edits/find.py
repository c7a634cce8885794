"""Finds the text to replace: it must match exactly, and once unless every match is meant.

If it is not found, the error names the nearest place and the difference. That takes time linear in
the document: lines are compared by words, only the best few places token by token. The model writes
LF; a document keeps its own line ends, mixed ones included.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest

from glossator.core.errors import UsageError
from glossator.core.line_diff import (
    Replacement,
    changed_blocks,
    common_prefix,
    line_replacements,
    lines_with_ends,
)
from glossator.core.text import LineTable
from glossator.core.tool_result import shorten

_LINES_NAMED = 10
_NUMBERED = re.compile(r" *\d+\t")


@dataclass(frozen=True, slots=True)
class Substitution:
    """`new` shall take the place of `old`: of the only one there is, or of `every` one."""

    old: str
    new: str
    every: bool = False


def substitute(text: str, wanted: Substitution) -> tuple[Replacement, ...]:
    """The replacements in `text`. Raises `UsageError` when it is unclear what is to be replaced.

    Line ends are not told apart; those that come in are like those around them.
    """
    old = as_lf(wanted.old)
    if not old:
        raise UsageError("old_text is empty.\nGive the text to replace, or use Write for new text.")
    if old == as_lf(wanted.new):
        raise UsageError("old_text and new_text are the same, so there is nothing to change.")
    view = PlainView(text)
    places = list(_places(view.text, old))
    if not places:
        raise UsageError(f"old_text is not in the file.\n{_why_not(view.text, old)}")
    if not wanted.every:
        if len(places) == 1:
            places += _places(view.text, old, places[0] + 1)  # one that overlaps the first
        if len(places) > 1:
            raise UsageError(_ambiguous(view.text, places))
    default = usual_end(text)
    replacements = []
    for place in places:
        start, end = view.original(place, place + len(old))
        replacements.append(Replacement(start, end, like(text[start:end], wanted.new, default)))
    return tuple(replacements)


def _places(text: str, old: str, start: int = 0) -> Iterator[int]:
    at = text.find(old, start)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def _why_not(text: str, old: str) -> str:
    lines = old.split("\n")
    if all(_NUMBERED.match(line) for line in lines if line):
        bare = "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
        if bare in text:
            return "Leave out the line numbers and tabs that Read puts in front of the lines."
    return explain(text, old)


def _ambiguous(text: str, places: list[int]) -> str:
    table = LineTable(text)
    numbers = [table.position(place, "utf-32").line + 1 for place in places]
    named = ", ".join(f"{number}" for number in dict.fromkeys(numbers[:_LINES_NAMED]))
    more = ", …" if len(numbers) > _LINES_NAMED else ""
    return (
        f"old_text is in the file {len(places):,} times, on lines {named}{more}.\nAdd lines around"
        " it until it is unique, or set replace_all to replace every one."
    )


_MAX_CHARACTERS = 4_000_000  # of a document in which a place is looked for
_CANDIDATES = 5
_COMPARED = 2_000  # characters of a place that are compared
_SHORT_CHARACTERS = 200  # characters that are compared one by one
_ALIKE = 0.6  # ratio from which a place is worth showing
_LINES_SHOWN = 12
_LINE_CHARACTERS = 200
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LOOKALIKES = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014\u2212", "''\"\"-----")
_READ_AGAIN = "Read the file again and copy the text exactly."


def explain(text: str, old: str) -> str:
    """Sentences about where `old` nearly is, for the model; `old` is not in `text`."""
    if len(text) > _MAX_CHARACTERS:
        return _READ_AGAIN
    lines, wanted = text.split("\n"), old.strip("\n").split("\n")
    at = _loosely(lines, wanted)
    if at is not None:
        return _difference(lines[at : at + len(wanted)], old, at + 1)
    nearest = _nearest(lines, wanted)
    if nearest is None:
        return f"Nothing in it is similar. {_READ_AGAIN}"
    shown = [
        f"{nearest + number}\t{shorten(line, _LINE_CHARACTERS)}"
        for number, line in enumerate(lines[nearest : nearest + len(wanted)], start=1)
    ]
    more = len(shown) - _LINES_SHOWN
    rest = [f"[{more:,} more lines]"] if more > 0 else []
    return "\n".join(["The closest match is:", *shown[:_LINES_SHOWN], *rest])


def _loosely(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The line from which `wanted` stands if space and look-alike characters do not count."""
    plain = [_plain(line) for line in wanted]
    if not any(plain):
        return None
    joined = "\n".join(map(_plain, lines))
    at = f"\n{joined}\n".find("\n" + "\n".join(plain) + "\n")
    if at < 0:
        part = "\n".join(plain)
        whole_words = (at for at in _places(joined, part) if not _cuts_word(joined, at, part))
        at = next(whole_words, -1)
    return None if at < 0 else joined[:at].count("\n")


def _cuts_word(text: str, at: int, part: str) -> bool:
    """Whether `part` of `text` begins or ends within a word."""
    end = at + len(part)
    edges = (text[max(at - 1, 0) : at] + part[:1], part[-1:] + text[end : end + 1])
    return any(len(edge) == 2 and _WORD.fullmatch(edge) for edge in edges)


def _plain(line: str) -> str:
    line = "".join(line.split())
    if not line.isascii():
        line = unicodedata.normalize("NFKC", line.translate(_LOOKALIKES))
    return line


def _difference(lines: Sequence[str], old: str, first_line: int) -> str:
    last_line = first_line + len(lines) - 1
    where = f"Line {first_line}" if first_line == last_line else f"Lines {first_line}-{last_line}"
    wanted = old.strip("\n").split("\n")
    for number, (there, asked) in enumerate(zip(lines, wanted, strict=True), start=first_line):
        begins = number > first_line or old.startswith("\n")
        ends = number < last_line or old.endswith("\n")
        if not _fits(there, asked, begins=begins, ends=ends):
            return (
                f"{where} would match but for {_kind(there, asked)}. Line {number} of the file is"
                f" {_quoted(there, asked)}, in old_text it is {_quoted(asked, there)}."
            )
    return f"{where} would match but for the blank lines around it. {_READ_AGAIN}"


def _fits(there: str, asked: str, *, begins: bool, ends: bool) -> bool:
    """Whether `asked` is in the line `there`: from where it `begins`, to where it `ends`."""
    if begins and ends:
        return there == asked
    if begins:
        return there.startswith(asked)
    return there.endswith(asked) if ends else asked in there


def _kind(there: str, asked: str) -> str:
    if there.lstrip() == asked.lstrip():
        return "indentation"
    if there.rstrip() == asked.rstrip():
        return "white space at the end of the line"
    if "".join(asked.split()) in "".join(there.split()):
        return "white space"
    return "characters that look alike"


def _quoted(line: str, other: str) -> str:
    """The line from shortly before the first difference, special characters escaped."""
    start = max(common_prefix(line, other) - 20, 0)
    return ("…" if start else "") + ascii(shorten(line[start:], _LINE_CHARACTERS))


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The first line of the place most like `wanted`; None when none is like it."""
    key = max(range(len(wanted)), key=lambda number: len(wanted[number].strip()))
    words = Counter(_WORD.findall(wanted[key]))
    if not words:
        return None
    scored = ((_shared(words, line), -number) for number, line in enumerate(lines))
    best = nlargest(_CANDIDATES, (pair for pair in scored if pair[0]))
    places = sorted({min(max(-number - key, 0), len(lines) - 1) for _, number in best})
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(_tokens(wanted))
    found: tuple[float, int] | None = None
    for place in places:
        there = lines[place : place + len(wanted)]
        matcher.set_seq1(_tokens(there))
        ratio = (
            matcher.ratio() if matcher.quick_ratio() >= _ALIKE else _by_characters(there, wanted)
        )
        if ratio >= _ALIKE and (found is None or ratio > found[0]):
            found = (ratio, place)
    return None if found is None else found[1]


def _by_characters(there: Sequence[str], wanted: Sequence[str]) -> float:
    """How alike short lines are, of which one token may be half."""
    one, other = (" ".join(" ".join(lines).split()) for lines in (there, wanted))
    if len(one) + len(other) > _SHORT_CHARACTERS:
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _tokens(lines: Sequence[str]) -> list[str]:
    return _TOKEN.findall("\n".join(lines)[:_COMPARED])


def _shared(words: Counter[str], line: str) -> float:
    there = Counter(_WORD.findall(line[:_COMPARED]))
    common = sum((words & there).values())
    return common / (words.total() + there.total() - common) if common else 0.0


class PlainView:
    """A text with LF line ends only, whose places can be found in the text itself."""

    def __init__(self, text: str) -> None:
        self.text = as_lf(text)
        self._original = text
        self._pairs: list[int] = []  # where, in `self.text`, the ends are that were CRLF
        at = text.find("\r\n")
        while at >= 0:
            self._pairs.append(at - len(self._pairs))
            at = text.find("\r\n", at + 2)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range from `start` up to `end`, in offsets of the text itself."""
        return (
            start + bisect_left(self._pairs, start),
            end + bisect_left(self._pairs, end),
        )


def as_lf(text: str) -> str:
    """`text` with LF for every line end."""
    return text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")


def usual_end(text: str, default: str = "\n") -> str:
    """The line end that occurs most; `default` if none does more than that."""
    pairs = text.count("\r\n")
    counts = {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}
    return max(counts, key=lambda end: (counts[end], end == default))


def like(old: str, new: str, default: str) -> str:
    """`new`, which takes the place of `old`, with its line ends.

    Lines of `old` that stay keep theirs; the others get the one `old` uses most, else `default`.
    """
    end = usual_end(old, default)
    new = as_lf(new)
    if end == "\n" and "\r" not in old:
        return new
    return _joined(lines_with_ends(old), lines_with_ends(new), end)


def rewrite(text: str, content: str) -> tuple[Replacement, ...]:
    """Replacements that make `content` of `text` and keep its line ends and how it ends."""
    end = usual_end(text)
    old, new = lines_with_ends(text), lines_with_ends(as_lf(content))
    if old and new:
        ended = old[-1] != _bare(old[-1])
        new[-1] = _bare(new[-1]) + ("\n" if ended else "")
    return line_replacements(text, _joined(old, new, end))


def _joined(old: list[str], new: list[str], end: str) -> str:
    """The new lines with ends like the old ones; with `end` only if CR and LF would meet."""
    text = "".join(_matched(old, new, end))
    plain = "".join(new)
    return text if as_lf(text) == plain else plain.replace("\n", end)


def _matched(old: list[str], new: list[str], end: str) -> list[str]:
    """The new lines, each with the end of the old line it is, or with `end`."""
    matched = [_bare(line) + end if line != _bare(line) else line for line in new]
    at = new_at = 0
    blocks = changed_blocks([_bare(line) for line in old], [_bare(line) for line in new])
    for start, after, new_start, new_after in [*blocks, (len(old), 0, len(new), 0)]:
        for line, number in zip(old[at:start], range(new_at, new_start), strict=True):
            if line != _bare(line) and new[number] != _bare(new[number]):
                matched[number] = line
        at, new_at = after, new_after
    return matched


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
