"""Symbols whose names are nearly the one that was asked for, where no symbol has that name.

A name is near if it is the same but for case and underscores, if one holds the other from the
beginning of a word on, or if most letters are the same. Only texts with a piece of the name are
parsed: of a name with a slip or two, one of its pieces is as it was asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from itertools import accumulate, pairwise
from time import monotonic
from typing import ClassVar

import re2

from glossator.core.languages import CODE
from glossator.symbols.sources import SLICE, Library, outlines, read
from glossator.symbols.symbol import Symbol
from glossator.worker import Job, Slices

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")
_ALIKE = 0.75  # ratio of `difflib`
_PART = 4, 1 / 3  # letters of a name within another, and of all letters of that
_PIECES = (4, 9)  # letters from which on a name has one piece more
_LONGEST = 100  # characters


@dataclass(frozen=True, slots=True)
class Near:
    """A symbol with a near name in the file `path`, and how many more have the very name."""

    path: str
    symbol: Symbol
    others: int = 0


@dataclass(frozen=True, slots=True)
class FindNear(Job[tuple[Near, ...]]):
    """One symbol of each of the nearest names, nearest first, in the texts at absolute `paths`.

    Of as many texts as can be looked at in so many seconds.
    """

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: str
    limit: int
    seconds: float

    def run(self) -> Slices[tuple[Near, ...]]:
        """Look at one text after the other."""
        likeness = cache(_Likeness(self.name))
        holds = re2.compile(pieces(self.name).encode("utf-8", "replace"))
        found: dict[str, Near] = {}
        begun = slice_begun = monotonic()
        with outlines(self.library) as kept:
            for path in self.paths:
                now = monotonic()
                if now - begun > self.seconds:
                    break
                if now - slice_begun > SLICE:
                    yield None
                    slice_begun = monotonic()
                text = read(self.library, path)
                if (
                    text is None
                    or text.language not in CODE
                    or not holds.search(text.text.encode("utf-8", "replace"))
                ):
                    continue
                for symbol in kept.of(text):
                    if known := found.get(symbol.name):
                        found[symbol.name] = replace(known, others=known.others + 1)
                    elif likeness(symbol.name):
                        found[symbol.name] = Near(path, symbol)
        nearest = sorted(found, key=lambda name: (-likeness(name), name))
        return tuple(found[name] for name in nearest[: self.limit])


def pieces(name: str) -> str:
    """An expression, of RE2 and of `re`, for what texts with a near name hold."""
    words = [word.casefold() for word in _WORD.findall(name[:_LONGEST])] or [name[:_LONGEST]]
    letters = "".join(words)
    ends = set(accumulate(map(len, words)))
    count = 1 + sum(len(letters) >= least for least in _PIECES)
    cuts = [len(letters) * part // count for part in range(count + 1)]
    parts = (
        "".join(
            re.escape(letters[at]) + ("_?" if at + 1 in ends and at + 1 < end else "")
            for at in range(start, end)
        )
        for start, end in pairwise(cuts)
    )
    return f"(?i:{'|'.join(parts)})"


class _Likeness:
    """How near names are to one: 1 is the same but for case and underscores, 0 is not near."""

    def __init__(self, asked: str) -> None:
        self._words = _words(asked)
        self._plain = "".join(self._words)
        self._matcher = SequenceMatcher(autojunk=False)
        self._matcher.set_seq2(self._plain)

    def __call__(self, name: str) -> float:
        words = _words(name)
        plain = "".join(words)
        if not plain or plain == self._plain:
            return float(bool(plain))
        matcher = self._matcher
        matcher.set_seq1(plain)
        if _is_part(self._plain, words):  # likelier than a slip
            return (1 + matcher.real_quick_ratio()) / 2
        if _is_part(plain, self._words):
            return matcher.real_quick_ratio()
        bounds = (matcher.real_quick_ratio, matcher.quick_ratio)
        if any(bound() < _ALIKE for bound in bounds):
            return 0.0
        ratio = matcher.ratio()
        return ratio if ratio >= _ALIKE else 0.0


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name[:_LONGEST])]


def _is_part(part: str, words: list[str]) -> bool:
    """Whether `part` begins where one of the `words` does, and is much of them."""
    whole = "".join(words)
    least, share = _PART
    if len(part) < max(least, share * len(whole)):
        return False
    starts = accumulate((len(word) for word in words[:-1]), initial=0)
    return any(whole.startswith(part, start) for start in starts)
