"""Jobs that look up a name in many texts: where it is defined, and where it is used.

Only texts that hold the name are parsed. Texts in a language without a grammar are searched for
the word; those lines are kept apart. Every answer says how much was searched, so that finding
nothing is a proof.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from time import monotonic
from typing import ClassVar, Generic, TypeVar

from glossator.core.errors import UsageError
from glossator.core.file_kinds import CODE, LANGUAGES
from glossator.core.text import split_lines
from glossator.symbols.references import Reference, references
from glossator.symbols.sources import SLICE, Library, SourceText, outlines, read
from glossator.symbols.symbol import Symbol
from glossator.worker import Job, JobProgress, Slices, Trouble, attempt

_SEPARATOR = re.compile(r"::|->|[.#/]")
_RAW = re.compile(r"\br#(?=\w)")  # Rust's `r#type` is the name `type`
_MAX_NAME = 300  # characters


@dataclass(frozen=True, slots=True)
class Name:
    """A requested name: `swim`, `Fish.swim`, `zoo::Fish<T>::swim(3)`, `log!`, `r#type`.

    `whole` as requested, its `last` part, which texts are searched for, and the scope before it.
    `bang`: it ends with `!`, which calls a macro, or belongs to a name of Ruby.
    """

    whole: str
    last: str
    scope: tuple[str, ...]
    bang: bool = False

    @staticmethod
    def parse(asked: str) -> Name:
        """Split a name. Raises `UsageError` if no symbol can have it."""
        whole = " ".join(asked.split())
        bare = _without_arguments(_RAW.sub("", whole[:_MAX_NAME]))
        named = bare.removesuffix("!")
        parts = [part for part in map(_without_arguments, _SEPARATOR.split(named)) if part]
        if not parts or len(whole) > _MAX_NAME or not re.search(r"\w", parts[-1]):
            raise UsageError(
                f"{asked[:_MAX_NAME]!r} is no name of a symbol.\nGive an identifier such as parse"
                " or Parser.parse, or use Grep for a pattern."
            )
        return Name(whole, parts[-1], tuple(parts[:-1]), bare != named)

    @property
    def spelled(self) -> str:
        """The last part as it may be spelled where it is used."""
        return f"{self.last}!" if self.bang else self.last

    def fits(self, symbol: Symbol, path: str) -> bool:
        """Whether it can mean `symbol` of the file `path`; its scope may name file and folders."""
        if symbol.name == self.whole:
            return True
        if symbol.name.removeprefix("r#").lstrip("#") not in (self.last, self.spelled):
            return False
        pure = PurePath(path)
        folders = pure.parent.parts
        # in Go a package is a folder, in Python `__init__.py` stands for one
        return self._ends((*folders, pure.stem, *symbol.container)) or self._ends(
            (*folders, *symbol.container)
        )

    def _ends(self, names: tuple[str, ...]) -> bool:
        return len(names) >= len(self.scope) and names[len(names) - len(self.scope) :] == self.scope


def _without_arguments(name: str) -> str:
    """`name` without the parentheses and angle brackets after it."""
    while name.endswith((")", ">")) and (opening := _opening(name)):
        bare = name[:opening].rstrip()
        if bare.endswith("operator"):  # of C++, where they belong to the name
            break
        name = bare
    return name


def _opening(name: str) -> int:
    """Where the brackets that a name ends with were opened; 0 if they do not pair."""
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] in ")>") - (name[at] in "(<")
        if depth == 0:
            return at
    return 0


MAX_MENTIONS = 20  # lines shown of texts without a grammar

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a text, 1-based, at the version that was read."""

    path: str
    sha256: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol and the line with its name."""

    line: SourceLine
    symbol: Symbol
    language: str


@dataclass(frozen=True, slots=True)
class Use:
    """A reference and the line it is on."""

    line: SourceLine
    reference: Reference


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much was searched.

    Of the `candidates`, the texts that may hold the name, `read` were read, and of these `holding`
    hold it. `unread` were left out because a limit was reached, `unreadable` are binary, too large
    or gone. `unparsed` hold the name but are too large to parse, or make the parser fail.
    `mentions` counts the lines that hold the name in texts without a grammar. With `worker_away`
    only few texts were read, and only small ones parsed; `why_away` completes "the worker …".
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
class SymbolHits(Generic[H]):
    """The hits, in the order of the texts, and some lines that merely mention the name."""

    hits: tuple[H, ...]
    mentions: tuple[SourceLine, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends: texts that hold the name, hits, seconds."""

    texts: int
    hits: int
    seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class FindDefinitions(Job[SymbolHits[Definition]]):
    """The symbols with a name, in the texts at absolute `paths`."""

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: Name
    limits: Limits

    def run(self) -> Slices[SymbolHits[Definition]]:
        """Look at one text after the other."""
        with outlines(self.library) as kept:

            def look(text: SourceText) -> list[Definition]:
                named = kept.of(text, self.name.last)
                return definitions_of(text, [at for at in named if self.name.fits(at, text.path)])

            return (
                yield from _search(
                    self.library, self.paths, self.name, self.limits, LANGUAGES, look
                )
            )


@dataclass(frozen=True, slots=True)
class FindUses(Job[SymbolHits[Use]]):
    """The references to a name, of some kinds, in the texts at absolute `paths`."""

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    name: Name
    limits: Limits
    kinds: frozenset[str]

    def run(self) -> Slices[SymbolHits[Use]]:
        """Look at one text after the other."""

        def look(text: SourceText) -> list[Use]:
            assert text.language is not None  # noqa: S101 - others are searched for the word
            uses = references(text.text, text.language, self.name.spelled)
            found = [use for use in uses if use.kind in self.kinds]
            lines = split_lines(text.text) if found else []
            return [Use(_line_of(text, lines, use.line), use) for use in found]

        return (yield from _search(self.library, self.paths, self.name, self.limits, CODE, look))


def definitions_of(text: SourceText, symbols: list[Symbol]) -> list[Definition]:
    """Some symbols of a text, each with the line of its name."""
    if not symbols:
        return []
    assert text.language is not None  # noqa: S101 - it has an outline
    lines = split_lines(text.text)
    return [
        Definition(_line_of(text, lines, symbol.name_line), symbol, text.language)
        for symbol in symbols
    ]


def _line_of(text: SourceText, lines: list[str], number: int) -> SourceLine:
    return SourceLine(text.path, text.sha256, number, lines[number - 1])


def _search(
    library: Library,
    paths: tuple[str, ...],
    name: Name,
    limits: Limits,
    languages: frozenset[str],
    look: Callable[[SourceText], list[H]],
) -> Slices[SymbolHits[H]]:
    hits: list[H] = []
    mentions: list[SourceLine] = []
    read_, holding, unreadable, unparsed, mentioned = 0, 0, 0, 0, 0
    word = re.compile(rf"(?<!\w){re.escape(name.last)}(?!\w)")  # a literal: linear in the text
    begun = monotonic()
    slice_end = begun + SLICE
    for path in paths:
        now = monotonic()
        if holding >= limits.texts or len(hits) >= limits.hits or now - begun > limits.seconds:
            break
        if now > slice_end:
            yield JobProgress(read_ + unreadable, len(paths))
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
            found = attempt(text.item("is not searched for names"), partial(look, text))
            if isinstance(found, Trouble):
                unparsed += 1
            else:
                hits += found
    looked = read_ + unreadable
    coverage = Coverage(
        len(paths), read_, holding, len(paths) - looked, unreadable, unparsed, mentioned
    )
    return SymbolHits(tuple(hits), tuple(mentions), coverage)


def _mentions(text: SourceText, word: re.Pattern[str]) -> list[SourceLine]:
    lines = split_lines(text.text)
    return [
        SourceLine(text.path, text.sha256, number, line)
        for number, line in enumerate(lines, 1)
        if word.search(line)
    ]
