"""Jobs on the outlines of known texts: outlines, imports, names, calls, and near names."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache, partial
from itertools import accumulate, pairwise
from typing import ClassVar, TypeVar

import re2

from glossator.core.file_kinds import CODE
from glossator.core.span import Statement
from glossator.core.text import split_lines
from glossator.symbols.imports import Import, imports
from glossator.symbols.references import calls_in, is_name
from glossator.symbols.sources import Library, SourceText, editor_text, outlines, read_each
from glossator.symbols.statements import statements
from glossator.symbols.symbol import NearSymbol, Symbol
from glossator.worker import Job, JobFailed, Slices, Trouble, attempt

R = TypeVar("R")

Outlined = tuple[str, tuple[Symbol, ...]]  # the SHA-256 of a text, and its outline


@dataclass(frozen=True, slots=True)
class _DocumentJob(Job[R]):
    """Something that one document is parsed for."""

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str

    def run(self) -> Slices[R]:
        """Hash the text, then parse it. Raises `JobFailed` if that fails at the text."""
        text = editor_text(self.path, self.text)
        yield None
        done = attempt(text.item("is not parsed"), partial(self.result, text))
        if isinstance(done, Trouble):
            raise JobFailed(f"{done.in_words}. It is tried again when the file changes.")
        return done

    @abstractmethod
    def result(self, text: SourceText) -> R:
        """What the job returns."""


@dataclass(frozen=True, slots=True)
class OutlineOf(_DocumentJob[tuple[Symbol, ...]]):
    """The symbols of a document; none in a language without a grammar.

    With `name`, only those of that name; with `name_line`, only those whose name is on that line.
    """

    name: str | None = None
    name_line: int | None = None

    def result(self, text: SourceText) -> tuple[Symbol, ...]:
        """Kept, or from parsing."""
        with outlines(self.library) as kept:
            return tuple(
                symbol
                for symbol in kept.of(text, self.name or "")
                if (self.name is None or symbol.name == self.name)
                and (self.name_line is None or symbol.name_line == self.name_line)
            )


@dataclass(frozen=True, slots=True)
class ImportsOf(_DocumentJob[tuple[Import, ...]]):
    """What a document imports; nothing in a language without a grammar."""

    def result(self, text: SourceText) -> tuple[Import, ...]:
        """The imports, in document order."""
        return () if text.language is None else imports(text.text, text.language)


@dataclass(frozen=True, slots=True)
class IsName(_DocumentJob[bool]):
    """Whether an identifier of code stands at an offset of a document; see `is_name`."""

    offset: int

    def result(self, text: SourceText) -> bool:
        """False in a language without a grammar."""
        return text.language is not None and is_name(text.text, text.language, self.offset)


@dataclass(frozen=True, slots=True)
class CallsOf(_DocumentJob[tuple[tuple[str, int], ...]]):
    """What lines of a document call: names with their 1-based lines, in document order."""

    first_line: int
    last_line: int

    def result(self, text: SourceText) -> tuple[tuple[str, int], ...]:
        """None in a text above the library's `parse_limit`."""
        if text.language is None or len(text.text) > self.library.parse_limit:
            return ()
        lines = split_lines(text.text)
        called = calls_in(text.text, text.language, self.first_line, self.last_line)
        return tuple((lines[at.line - 1][at.start : at.end], at.line) for at in called)


@dataclass(frozen=True, slots=True)
class StatementsIn(_DocumentJob[tuple[Statement, ...]]):
    """The statements that touch lines of a document; see `statements`."""

    first_line: int
    last_line: int

    def result(self, text: SourceText) -> tuple[Statement, ...]:
        """None in a text above the library's `parse_limit`."""
        if text.language is None or len(text.text) > self.library.parse_limit:
            return ()
        return statements(text.text, text.language, self.first_line, self.last_line)


@dataclass(frozen=True, slots=True)
class OutlinesOf(Job[dict[str, Outlined]]):
    """The outlines of the texts at absolute `paths`, as many as are ready in so many seconds.

    Unreadable texts are left out; a language without a grammar has an empty outline.
    """

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    seconds: float = math.inf

    def run(self) -> Slices[dict[str, Outlined]]:
        """Look up or parse one text after the other."""
        found: dict[str, Outlined] = {}
        with outlines(self.library) as kept:
            for text in read_each(self.library, self.paths, self.seconds):
                if text is None:
                    yield None
                else:
                    found[text.path] = text.sha256, kept.of(text)
        return found


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")
_ALIKE = 0.75  # ratio of `difflib`
_PART = 4, 1 / 3  # letters of a name within another, and of all letters of that
_PIECES = (4, 9)  # letters from which on a name has one piece more
_LONGEST = 100  # characters


@dataclass(frozen=True, slots=True)
class FindNear(Job[tuple[NearSymbol, ...]]):
    """One symbol of each of the nearest names, nearest first, in the texts at absolute `paths`.

    A name is near if it is equal but for case and underscores, if one contains the other from the
    beginning of a word on, or if most letters are the same. Only texts with a piece of the name are
    parsed: with a slip or two in a name, one of its pieces is still right. As many texts are read
    as possible in so many seconds.
    """

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: str
    limit: int
    seconds: float

    def run(self) -> Slices[tuple[NearSymbol, ...]]:
        """Read one text after the other."""
        likeness = cache(_Likeness(self.name))
        holds = re2.compile(pieces(self.name).encode("utf-8", "replace"))
        found: dict[str, NearSymbol] = {}
        with outlines(self.library) as kept:
            for text in read_each(self.library, self.paths, self.seconds):
                if text is None:
                    yield None
                    continue
                if text.language not in CODE or not holds.search(
                    text.text.encode("utf-8", "replace")
                ):
                    continue
                for symbol in kept.of(text):
                    if known := found.get(symbol.name):
                        found[symbol.name] = replace(known, others=known.others + 1)
                    elif likeness(symbol.name):
                        found[symbol.name] = NearSymbol(text.path, symbol)
        nearest = sorted(found, key=lambda name: (-likeness(name), name))
        return tuple(found[name] for name in nearest[: self.limit])


def pieces(name: str) -> str:
    """A pattern, for RE2 and `re`, that texts with a near name match."""
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
