"""Jobs that look a name up in many texts: where it is defined, and where it is used.

Only texts that hold the name are parsed. A text in a language we do not understand is searched for
the word, and what is found there is kept apart. Every answer says how much was looked at, so that
finding nothing is a proof.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Generic, TypeVar

from glossator.core.languages import CODE, LANGUAGES
from glossator.core.text import split_lines
from glossator.symbols.names import Name
from glossator.symbols.references import Reference, references
from glossator.symbols.sources import SLICE, Library, Outlines, Text, outlines, read
from glossator.symbols.symbol import Symbol
from glossator.worker import Job, Progress, Slices

MAX_MENTIONS = 20  # lines shown of texts that we do not understand

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text, 1-based, as it was when it was looked at."""

    path: str
    sha256: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol and the line with its name."""

    line: Line
    symbol: Symbol
    language: str


@dataclass(frozen=True, slots=True)
class Use:
    """A reference and the line it is on."""

    line: Line
    reference: Reference


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much was looked at.

    Of the `candidates`, the texts that may hold the name, `read` were read, and of these `holding`
    hold it. `unread` were left out because enough had been done, `unreadable` are binary, too large
    or gone, `unparsed` hold the name but are too large to parse. `mentions` counts the lines that
    hold the name in texts of languages we do not understand. With `worker_away` only few were read,
    and only small ones parsed; `why_away` says what became of the worker, after "it".
    """

    candidates: int = 0
    read: int = 0
    holding: int = 0
    unread: int = 0
    unreadable: int = 0
    unparsed: int = 0
    mentions: int = 0
    worker_away: bool = False
    why_away: str = ""


@dataclass(frozen=True, slots=True)
class Found(Generic[H]):
    """What was found, in the order of the texts, and some lines that merely mention the name."""

    hits: tuple[H, ...]
    mentions: tuple[Line, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Limits:
    """When enough was done: so many texts that hold the name, so many hits, so much time."""

    texts: int
    hits: int
    seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class FindDefinitions(Job[Found[Definition]]):
    """The symbols with a name, in the texts at absolute `paths`."""

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: Name
    limits: Limits

    def run(self) -> Slices[Found[Definition]]:
        """Look at one text after the other."""
        with outlines(self.library) as kept:

            def look(text: Text) -> list[Definition]:
                return _definitions(text, self.name, kept)

            return (
                yield from _search(
                    self.library, self.paths, self.name, self.limits, LANGUAGES, look
                )
            )


@dataclass(frozen=True, slots=True)
class FindUses(Job[Found[Use]]):
    """The references to a name, of some kinds, in the texts at absolute `paths`."""

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: Name
    limits: Limits
    kinds: frozenset[str]

    def run(self) -> Slices[Found[Use]]:
        """Look at one text after the other."""

        def look(text: Text) -> list[Use]:
            return _uses(text, self.name, self.kinds)

        return (yield from _search(self.library, self.paths, self.name, self.limits, CODE, look))


def line_of(text: Text, lines: list[str], number: int) -> Line:
    """Line `number` of a text whose lines are `lines`."""
    return Line(text.path, text.sha256, number, lines[number - 1])


def _search(
    library: Library,
    paths: tuple[str, ...],
    name: Name,
    limits: Limits,
    languages: frozenset[str],
    look: Callable[[Text], list[H]],
) -> Slices[Found[H]]:
    hits: list[H] = []
    mentions: list[Line] = []
    read_, holding, unreadable, unparsed, mentioned = 0, 0, 0, 0, 0
    word = re.compile(rf"(?<!\w){re.escape(name.last)}(?!\w)")  # a literal: linear in the text
    begun = monotonic()
    slice_end = begun + SLICE
    for path in paths:
        now = monotonic()
        if holding >= limits.texts or len(hits) >= limits.hits or now - begun > limits.seconds:
            break
        if now > slice_end:
            yield Progress(read_ + unreadable, len(paths))
            slice_end = monotonic() + SLICE
        text = read(library, path)
        if text is None:
            unreadable += 1
            continue
        read_ += 1
        if name.last not in text.text or not word.search(text.text):
            continue
        holding += 1
        if text.language not in languages:
            lines = _mentions(text, word)
            mentioned += len(lines)
            mentions += lines[: MAX_MENTIONS - len(mentions)]
        elif len(text.text) > library.parse_limit:
            unparsed += 1
        else:
            hits += look(text)
    looked = read_ + unreadable
    coverage = Coverage(
        len(paths), read_, holding, len(paths) - looked, unreadable, unparsed, mentioned
    )
    return Found(tuple(hits), tuple(mentions), coverage)


def _definitions(text: Text, name: Name, kept: Outlines) -> list[Definition]:
    fitting = [symbol for symbol in kept.of(text, name.last) if name.fits(symbol, text.path)]
    if not fitting:
        return []
    assert text.language is not None  # noqa: S101 - it has an outline
    lines = split_lines(text.text)
    return [
        Definition(line_of(text, lines, symbol.name_line), symbol, text.language)
        for symbol in fitting
    ]


def _uses(text: Text, name: Name, kinds: frozenset[str]) -> list[Use]:
    assert text.language is not None  # noqa: S101 - others are searched for the word
    uses = references(text.text, text.language, name.spelled)
    found = [use for use in uses if use.kind in kinds]
    lines = split_lines(text.text) if found else []
    return [Use(line_of(text, lines, use.line), use) for use in found]


def _mentions(text: Text, word: re.Pattern[str]) -> list[Line]:
    lines = split_lines(text.text)
    return [
        Line(text.path, text.sha256, number, line)
        for number, line in enumerate(lines, 1)
        if word.search(line)
    ]
